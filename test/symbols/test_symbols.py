# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Symbols and declarations of the installation with QMPI, compared with the unpatched base.

A test lists all offenders of a group, and prints the number of things compared (shown with -rP).
"""

import pytest

from symbols import checks


@pytest.fixture(scope="module")
def installation(mpich_module, base_module, needs):
    needs("nm", "readelf", "abidiff")
    try:
        return checks.Installation(mpich_module.prefix, base_module.prefix)
    except checks.Failure as failure:
        pytest.fail(str(failure), pytrace=False)


@pytest.fixture
def judge():
    """Fails with all offenders of a check, which returns the number of things compared and what is wrong."""
    def judge(check, *arguments, at_least=1):
        try:
            compared, wrong = check(*arguments)
        except checks.Failure as failure:
            pytest.fail(str(failure), pytrace=False)
        print(f"{compared} compared")
        if wrong:
            pytest.fail(f"{len(wrong)} of {compared}:\n" + "\n".join(wrong), pytrace=False)
        assert compared >= at_least
    return judge


def test_every_function_has_a_pmpi_and_a_qmpi_form(installation, judge):
    judge(installation.forms, at_least=1200)


def test_declarations_and_function_types_match_the_mpi_form(installation, judge):
    judge(installation.signatures, at_least=2500)


@pytest.mark.parametrize("library", ("libmpi.so", "libmpi_abi.so"))
def test_every_entry_begins_a_cache_line(installation, judge, library):
    if not (installation.prefix / "lib" / library).exists():
        pytest.skip("no library of the MPI ABI")
    judge(installation.entries_within_a_line, library, at_least=500)


def test_every_function_has_an_id(installation, judge):
    judge(installation.functions_without_id, at_least=630)


def test_functions_of_the_interface_have_no_id(installation, judge):
    judge(installation.interface_with_id, at_least=15)


def test_generators_of_wrappers_pass_over_the_functions_of_the_interface(installation, judge):
    judge(installation.lines_for_wrappers, at_least=400)


def test_declared_functions_are_exported(installation, judge):
    judge(installation.declared_but_not_exported)


def test_handle_conversions_have_a_qmpi_function(installation, judge):
    judge(installation.conversions_without_function, at_least=10)


@pytest.mark.parametrize("binding", checks.FORTRAN_BINDINGS)
def test_fortran_procedures_have_an_mpi_and_a_qmpi_form(installation, judge, binding):
    judge(installation.fortran_forms, binding, at_least=1000)


@pytest.mark.parametrize("binding", checks.FORTRAN_BINDINGS)
def test_every_fortran_entry_begins_a_cache_line(installation, judge, binding):
    judge(installation.fortran_entries_within_a_line, binding, at_least=500)


def test_registry_numbers_from_0_without_gaps(installation, judge):
    judge(lambda: checks.numbering(installation.registry()))


def test_enum_numbers_from_0_without_gaps(installation, judge):
    judge(checks.numbering, [(value, name) for name, value in installation.ids.items()])


def test_enum_is_the_registry(installation, judge):
    judge(installation.registry_against_enum)


def test_registered_functions_are_exported(installation, judge):
    judge(installation.registered_but_not_exported)


def test_ids_of_earlier_releases_are_kept(judge):
    judge(checks.frozen, checks.read_ids(checks.REGISTRY), at_least=checks.FROZEN_IDS)


def test_symbols_of_the_base_are_kept(installation, judge):
    judge(installation.lost)


def test_no_symbol_changes_between_function_and_data(installation, judge):
    judge(installation.changed_kind)


def test_no_internal_symbol_becomes_visible(installation, judge):
    judge(installation.new_internals)


@pytest.mark.parametrize("library", (*checks.LIBRARIES, "libmpi_abi.so"))
def test_abi_is_kept(installation, judge, library):
    if library == "libmpi_abi.so" and not (installation.base / "lib" / library).exists():
        pytest.skip("the base has no library of the MPI ABI")
    judge(installation.abi, library)


@pytest.mark.parametrize("library", ["libmpi.so", "libmpifort.so"])
def test_no_library_is_needed_in_addition(mpich, base, library):
    assert checks.needed(mpich.lib / library) - checks.needed(base.lib / library) == set()


@pytest.mark.parametrize("library", checks.LIBRARIES)
def test_nothing_is_writable_and_executable(mpich, library):
    assert checks.writable_code(mpich.lib / library) == []


@pytest.mark.parametrize("library", ["libmpi.so", "libmpifort.so"])
def test_bss_grows_by_at_most_32_kib(mpich, base, library):
    more = checks.section_size(mpich.lib / library, ".bss") - checks.section_size(base.lib / library, ".bss")
    assert more <= 32 * 1024


@pytest.mark.parametrize("library", checks.LIBRARIES)
def test_soname_and_version_are_those_of_the_base(mpich, base, library):
    """The version of a library is the release manager's: it does not depend on an option of configure."""
    ours, theirs = mpich.lib / library, base.lib / library
    assert checks.soname(ours) == checks.soname(theirs)
    assert checks.file_version(ours) == checks.file_version(theirs)
