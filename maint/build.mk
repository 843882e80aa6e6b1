# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory
#
# Included by the Makefile that configure writes.
#
# make          update the patched tree, and what depends on it: autogen.sh, MPICH's configure, MPICH's make
# make check    the tests of maint/quickstart check on this build
# make install  MPICH's make install
# make clean    remove the build; the tree stays
#
# Each step leaves a stamp, so that an interrupted run continues.

SHELL = /bin/bash
RECORD = $(TREE)/.series
STAGE = $(CURDIR)/stage
export PATH := $(CCACHE_PATH)$(PATH)
export MPICH_QMPI_BUILD_SOURCE := $(SOURCE)

.PHONY: all apply configured install installed check clean
.DELETE_ON_ERROR:

all: configured
	@echo "== make"
	$(MAKE) -C mpich-build

# No file of the tree changes its time stamp without need.
apply:
	$(ROOT)/maint/series apply --base $(BASE) $(if $(FIRST),--first $(FIRST)) $(TREE)
$(RECORD)/state $(RECORD)/generate-key $(RECORD)/suite-key: apply ;

# Copies of other packages that this build does not use: autogen.sh would prepare them all. A release as it came
# has its configure; where it is made, maint/configure comes first (its results carry the release manager's paths).
AUTOGEN_OPTIONS = -without-hwloc -without-izem -without-ofi -without-ucx -without-json -without-yaksa -without-hydra2
$(RECORD)/autogen.stamp: $(RECORD)/generate-key
	@if [ "$(FIRST)" != 0 ] || [ -e $@ ] || [ ! -e $(TREE)/configure ]; then \
	    echo "== autogen.sh"; \
	    cd $(TREE)/maint && ./configure && cd .. && ./autogen.sh $(AUTOGEN_OPTIONS); \
	fi && touch $@ $(RECORD)/suite.stamp

# The test suite has its own autogen.sh.
$(RECORD)/suite.stamp: $(RECORD)/suite-key $(RECORD)/autogen.stamp
	@echo "== autogen.sh of the test suite"
	cd $(TREE)/test/mpi && ./autogen.sh
	touch $@

configured: mpich-build/configured.stamp
mpich-build/configured.stamp: $(RECORD)/autogen.stamp config.sh Makefile | $(RECORD)/suite.stamp
	@echo "== configure"
	mkdir -p mpich-build
	. ./config.sh && cd mpich-build && $(TREE)/configure --prefix=$(PREFIX) "$${options[@]}"
	touch $@

install: all
	@echo "== install"
	$(MAKE) -C mpich-build install

# For a prefix that belongs to this build alone; nothing happens without a change.
installed: installed.stamp
installed.stamp: $(RECORD)/state mpich-build/configured.stamp
	@echo "== make"
	$(MAKE) -C mpich-build
	@echo "== install"
	rm -rf $(PREFIX)
	$(MAKE) -C mpich-build install
	touch $@

# The compiler scripts name the final prefix; in the staged installation they name the stage.
check: all
	@echo "== install for the tests"
	rm -rf $(STAGE)
	$(MAKE) -C mpich-build install DESTDIR=$(STAGE) > stage.log
	for script in $(STAGE)$(PREFIX)/bin/mpi*; do \
	    if head -c 2 $$script | grep -q '#!'; then sed -i 's|$(PREFIX)|$(STAGE)$(PREFIX)|g' $$script; fi; done
	. ./config.sh && base=$(BASE_PREFIX) && \
	    { [ -n "$$base" ] || base=$$($(ROOT)/maint/buildtree --base "$${options[@]}" | sed -n 's/^prefix=//p'); } && \
	    LD_LIBRARY_PATH=$(STAGE)$(PREFIX)/lib $(ROOT)/maint/quickstart test --prefix=$(STAGE)$(PREFIX) \
	        --base-prefix=$$base --src=$(TREE) --out=$(CURDIR)/check-out

clean:
	rm -rf mpich-build stage stage.log check-out installed.stamp
