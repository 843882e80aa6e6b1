# QMPI and its tools; included by debian/rules
extra_flags += --enable-qmpi --with-json=yes --with-cli11=yes --with-ncurses=yes --with-libdw=yes --with-otf2=yes

# The release contains results of maint/configure with paths of another machine.
execute_before_dh_autoreconf:
	cd maint && ./configure

# The loader needs no path to libraries in its own folder.
execute_before_dh_fixperms-arch:
	find debian/mpich-qmpi-tools -type f '(' -path '*/bin/*' -o -name '*.so' ')' -exec chrpath -d '{}' ';'

# mpich-doc takes all of man1 and man3; these pages are in packages of their own.
execute_after_dh_install-indep:
	cd debian/mpich-doc/usr/share/man && rm -f man1/qmpi_* man3/MPI*_tool* man3/MPIX_Get_function_* man3/MPIX_Get_process_* \
	    man3/MPI_Get_calling_address* man3/MPI_Get_function* man3/MPI_Register_function*
