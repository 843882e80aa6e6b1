##
## Copyright (C) by the QMPI for MPICH developers
##     See COPYRIGHT in top-level directory
##
"""How the series fits a release of MPICH: the report of 'maint/series check --base TREE'.

Patches: each hunk is applied, without fuzz, to copies of the files that the series edits; a hunk that does not fit
is left out. Functions: the release's own binding generator runs in a temporary folder and passes each function to
ours, which writes all its files. Nothing is written into TREE.
"""

import collections
import glob
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import textwrap

REGISTRY = "src/binding/qmpi_functions.txt"
FEW = 12        # the page names the functions of a kind if there are at most so many

# what the generator does with a function
TEST, BODY, BOTH = "gate in place of the initialization test", "gate before the body", "gate before the body's own test"
REPLACED, ATTRIBUTE, HAND = "replaced function", "attribute (polymorph)", "hand-written file"
ROMIO, FORTRAN, UNKNOWN = "MPI-IO of ROMIO", "prototype only (callback, Fortran library)", "unclassified"
KINDS = (TEST, BODY, BOTH, REPLACED, ATTRIBUTE, HAND, ROMIO, FORTRAN, UNKNOWN)


# ---- patches ----

def numbers(version):
    return [int(n) for n in re.findall(r"\d+", version)]


def by_file(data):
    """Path and diff of each file that a patch edits"""
    return [(re.match(rb"--- a/(\S+)", part).group(1).decode(), part) for part in re.split(rb"(?m)^(?=--- a/)", data)[1:]]


def hunks_of(diff):
    return len(re.findall(rb"^@@ ", diff, re.M))


def size(data):
    """Hunks, added lines, removed lines of a patch"""
    diffs = [diff.split(b"\n", 2)[2] for _, diff in by_file(data)]
    return [sum(len(re.findall(pattern, diff, re.M)) for diff in diffs) for pattern in (rb"^@@ ", rb"^\+", rb"^-")]


def apply(diff, path, *options):
    """Result of each hunk: 'exact', 'offset', or the line where it does not fit"""
    command = ["patch", "--force", "--fuzz=0", "--verbose", "--no-backup-if-mismatch", "--reject-file=-", *options, path]
    said = subprocess.run(command, input=diff, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env=dict(os.environ, LC_ALL="C")).stdout.decode(errors="replace")
    found = re.findall(r"^Hunk #\d+ (succeeded|FAILED) at (\d+)( \(offset)?", said, re.M)
    if len(found) != hunks_of(diff):
        raise ValueError("patch reads %d of %d hunks for %s: %s" %
                         (len(found), hunks_of(diff), path, "; ".join(said.strip().splitlines()[-2:])))
    return [int(line) if word == "FAILED" else "offset" if offset else "exact" for word, line, offset in found]


def failed(results):
    return [line for line in results if isinstance(line, int)]


class Fit:
    """A series on a release. patches: name -> counts of 'exact' and 'offset' and the places where hunks fail, or the
    reason why the release does not need the patch. folder: the edited files."""

    def __init__(self, base, tree, version, overlay, folder):
        self.base, self.tree, self.folder, self.patches = base, tree, folder, {}
        for name in base.patches:
            with open(os.path.join(base.folder, name), "rb") as f:
                data = f.read()
            self.patches[name] = (base.is_fix(name) and self.reason(data, version)) or self.push(data)
        self.lacking = [p for p in base.removed if not os.path.exists(os.path.join(tree, p))]
        self.present = [p for p in overlay if os.path.exists(os.path.join(tree, p))]
        self.failed = sum(len(p[1]) for p in self.patches.values() if not isinstance(p, str))

    def copy(self, path):
        """The file in its present state; None if the release lacks it"""
        target, source = os.path.join(self.folder, path), os.path.join(self.tree, path)
        if not os.path.exists(target):
            if not os.path.isfile(source):
                return None
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(source, target)
        return target

    def reason(self, data, version):
        """Why the release does not need a fix"""
        field = re.search(r"^Applied-Upstream: *((\d[\d.]*).*)", data.decode(errors="replace"), re.M)
        if field and numbers(version) >= numbers(field.group(2)):
            return "upstream has it: " + field.group(1)
        files = [(self.copy(path), diff) for path, diff in by_file(data)]
        if all(path and not failed(apply(diff, path, "--reverse", "--dry-run")) for path, diff in files):
            return "already in the tree"
        return None

    def push(self, data):
        counts, places = collections.Counter(), []
        for path, diff in by_file(data):
            copy = self.copy(path)
            if copy is None:
                places += ["%s: file missing" % path] * hunks_of(diff)
                continue
            results = apply(diff, copy)
            places += ["%s:%d" % (path, line) for line in failed(results)]
            counts.update(results)
        return counts, places

    def distance(self, version):
        """Sort key: the nearest series first"""
        return (self.failed, self.base.version != version, [-n for n in numbers(self.base.version)])


# ---- functions ----

def survey(fit, root, overlay, folder):
    """Runs the release's generator in a folder; returns the results of listen()"""
    def copy(top, path):
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        shutil.copyfile(os.path.join(top, path), os.path.join(folder, path))
    if not os.path.isfile(os.path.join(fit.tree, "maint/gen_binding_c.py")):
        return {"error": "no maint/gen_binding_c.py"}
    for pattern in ("maint/local_python/*.py", "maint/gen_binding_c.py", "src/binding/**/*.txt", "src/binding/abi/*.h",
                    "src/binding/fortran/*/Makefile.mk"):
        for path in glob.glob(pattern, root_dir=fit.tree, recursive=True):
            # the functions' descriptions as the series corrects them, the generator as released
            corrected = path.endswith(".txt") and os.path.exists(os.path.join(fit.folder, path))
            copy(fit.folder if corrected else fit.tree, path)
    for path in overlay:
        if re.match(r"maint/local_python/|src/.*\.txt$", path):
            copy(root, path)
    for path in ("src/mpi_t", "src/include", "test/mpi/include"):   # the generator expects them
        os.makedirs(os.path.join(folder, path), exist_ok=True)
    done = subprocess.run([sys.executable, os.path.abspath(__file__)], cwd=folder, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, errors="replace", check=False,
                          env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or ["status %d" % done.returncode])[-1]}
    with open(os.path.join(folder, "survey.json")) as f:
        return json.load(f)


def message(e):
    """Text of an exception; the generators raise plain ones for errors in their input"""
    return str(e) if type(e) is Exception else "%s: %s" % (type(e).__name__, e)


def listen():
    """Runs the generator of the current folder as autogen.sh does, and records what it does with each function."""
    sys.path.insert(0, "maint")
    sys.argv = ["maint/gen_binding_c.py"]
    from local_python import binding_c, binding_qmpi as qmpi, MPI_API_Global as G
    kinds, reasons, abi, new = {}, {}, set(), []

    def entry(func, is_large):
        text = "\n".join(G.out)     # MPICH's part
        G.out = []
        qmpi.dump_entry(func, lambda func, is_large: None)
        f = qmpi.functions[-1]
        name = f.name
        tests = "_ERRTEST_INITIALIZED_ORDIE" in text
        if os.path.exists(qmpi.ABI_HEADER) and qmpi.is_in_abi(func):
            abi.add(name)
        if 'polymorph' in func:
            kinds[name] = ATTRIBUTE
        elif qmpi.replaced_by(func):
            kinds[name] = REPLACED
        elif f.tests_initialization and not tests:
            kinds[name], reasons[name] = UNKNOWN, "the gate would test initialization, the release does not"
        else:
            kinds[name] = TEST if f.tests_initialization else BOTH if tests else BODY
    dump_mpi_c = binding_c.dump_mpi_c

    def function(func, is_large=False):
        try:
            dump_mpi_c(func, is_large)
        except Exception as e:
            name = qmpi.get_function_name(func, is_large)
            kinds[name], reasons[name] = UNKNOWN, message(e)
            G.out = []
    binding_c.dump_mpi_c, binding_c.dump_qmpi_wrappers = function, entry
    runpy.run_path(sys.argv[0], run_name="__main__")
    if not kinds:
        raise RuntimeError("%s passes no function to dump_qmpi_wrappers" % sys.argv[0])

    order_by_id = qmpi.order_by_id

    def order_with_new(names):
        new.extend(sorted({f.name for f in qmpi.functions} - set(names)))
        names += new
        return order_by_id(names)
    qmpi.order_by_id = order_with_new
    qmpi.abi_names |= abi
    error = None
    try:
        qmpi.dump_files(binding_c.dump_c_file)
    except Exception as e:
        error = message(e)
    for f in qmpi.functions:
        kinds.setdefault(f.name, ROMIO if f.body.startswith(qmpi.ROMIO_BODY) else HAND)
    for name in {m.group(1) for l in G.mpi_declares for m in [re.search(r"\b(MPIX?_\w+)\(", l)]} - set(kinds):
        kinds[name] = FORTRAN if re.search(r"_FN$|_Status_\w*f08", name) else UNKNOWN
        reasons[name] = "only mpi.h declares it"
    for name in G.opts.get('abi_header', set()) - set(kinds):
        kinds[name], reasons[name] = UNKNOWN, "only mpi_abi.h declares it"
    ids = qmpi.load_registry(REGISTRY)
    with open("survey.json", "w") as f:
        json.dump({"kinds": kinds, "reasons": {n: reasons[n] for n in kinds if kinds[n] == UNKNOWN}, "abi": sorted(abi),
                   "new": new, "first": len(ids), "error": error,
                   "tombstones": [n for n in ids if kinds.get(n, FORTRAN) == FORTRAN]}, f)


# ---- the page ----

def lines_of_patches(fit):
    form = "%-40s %5s %6s %8s"
    yield form % ("patch", "exact", "offset", "failed")
    for name, result in fit.patches.items():
        if isinstance(result, str):
            yield "%-40s not needed: %s" % (name, result)
            continue
        counts, places = result
        yield form % (name, counts["exact"], counts["offset"], len(places))
        for place, count in collections.Counter(places).items():
            yield "    %s%s" % (place, " (%d hunks)" % count if count > 1 else "")
    for path in fit.lacking:
        yield "%s: in 'removed', but not in the tree (in a git tree it may be generated later)" % path
    for path in fit.present:
        yield "%s: in the overlay and in the tree" % path


def counted(text, names, named=True, indent=2):
    """Their number, and the names if they are few"""
    line = "%6d %s" % (len(names), text)
    if named and 0 < len(names) <= FEW:
        line += ": " + ", ".join(names)
    return textwrap.wrap(line, 110, initial_indent=" " * indent, subsequent_indent=" " * (indent + 9), break_on_hyphens=False)


def lines_of_functions(found, with_functions):
    if "kinds" not in found:
        yield "The binding generator of the tree fails: %s" % found["error"]
        return
    kinds, reasons = found["kinds"], found["reasons"]
    yield "%d functions; %d in the header of the MPI ABI" % (sum(k != FORTRAN for k in kinds.values()), len(found["abi"]))
    for kind in KINDS:
        names = sorted(n for n in kinds if kinds[n] == kind)
        if kind != UNKNOWN:
            yield from counted(kind, names)
            continue
        yield from counted(kind, names, named=False)
        for reason in sorted(set(reasons.values())):
            yield from counted(reason, [n for n in names if reasons[n] == reason], indent=9)
    yield from counted("ids that the release lacks", found["tombstones"])
    yield "  %6d without an id%s" % (len(found["new"]), "; append to %s:" % REGISTRY if found["new"] else "")
    for i, name in enumerate(found["new"], found["first"]):
        yield "%d %s" % (i, name)
    if found["error"]:
        yield "Our generator (binding_qmpi.py) stops: " + found["error"].replace("\n", "\n    ")
    if with_functions:
        yield ""
        for name in sorted(kinds):
            notes = ["ABI"] * (name in found["abi"]) + ["no id"] * (name in found["new"])
            yield "%-40s %s%s" % (name, kinds[name], ", ".join([""] + notes))


def report(bases, tree, version, root, overlay, with_functions):
    """Prints the page for the nearest of the bases; false unless all fits."""
    with tempfile.TemporaryDirectory(prefix="series-") as work:
        fits = [Fit(b, tree, version, overlay, os.path.join(work, str(i))) for i, b in enumerate(bases)]
        fits.sort(key=lambda fit: fit.distance(version))
        fit, others = fits[0], fits[1:]
        print("MPICH %s, %s" % (version, tree))
        print("series %s, failed hunks: %s" % (fit.base.version, ", ".join(
            [str(fit.failed)] + ["%s would have %d" % (f.base.version, f.failed) for f in others])))
        print("\n".join(["", *lines_of_patches(fit), ""]))
        found = survey(fit, root, overlay, os.path.join(work, "generator"))
        print("\n".join(lines_of_functions(found, with_functions)))
    unknown, new = len(found.get("reasons", ())), len(found.get("new", ()))
    wrong = ["%s: %d" % (text, n) for text, n in (
        ("failed hunks", fit.failed), ("overlay files in the tree", len(fit.present)), ("unclassified functions", unknown),
        ("functions without an id", new)) if n] + ["the generator stops"] * bool(found["error"])
    print("\n%s" % ("To do (doc/new-base.md): " + "; ".join(wrong) if wrong else "Everything fits."))
    return not wrong


if __name__ == "__main__":
    listen()
