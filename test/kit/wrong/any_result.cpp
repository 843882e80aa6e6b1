// expected: the member intercept must be  int intercept(qmpi::any_call &call)  or a template
#include <qmpi.hpp>

struct Tool : qmpi::tool<Tool> {
    void intercept(qmpi::any_call &call) { call(); }
};

QMPI_TOOL("tool", Tool)
