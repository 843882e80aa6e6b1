# before the call of configure, which gets the option --enable-qmpi
(cd maint && if [ -x configure ]; then ./configure; fi)
./autogen.sh @AUTOGEN@
