# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Variants that are compared: a library and the tools of a run."""

import shlex
from dataclasses import dataclass, field

from counting import Failure

# Builds of MPICH: key, title
BUILDS = {
    "base": "unpatched, without QMPI",
    "prototype": "unpatched, with its experimental interface",
    "disabled": "ours, QMPI configured away",
    "none": "ours, no tools",
}
LAYERS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)
DECADES = (1, 10, 100, 1000)
ALL_LAYERS = sorted({*LAYERS, *DECADES})
KINDS = {
    "static": "static link",
    "instance": "link by instance",
    "lookup": "next function looked up in every call",
    "frame": "link by instance, work after the call",
    "other": "instances that do not intercept the function",
    "address": "queries the calling address",
}


@dataclass
class Variant:
    """A library (key of BUILDS; "ours" is that of "none") and the tools of a run."""
    name: str
    title: str
    library: str = "none"
    kind: str = ""
    layers: int = 0
    tools: str = ""
    preload: str = ""
    variables: dict = field(default_factory=dict)

    @property
    def depth(self):
        """Layers that a measured call passes."""
        return 0 if self.kind == "other" else self.layers


def layered(kind, layers, library="none"):
    """A chain of pass-through tools of one kind (layers.cpp)."""
    separator = ":" if library == "prototype" else ","
    names, file = [kind] * layers, "layers"
    if kind == "static":
        names, file = [f"static{number + 1}" for number in range(layers)], "static"
    if library == "prototype":
        file += "-prototype"
    name = f"{kind} {layers}" if library == "none" else f"prototype {kind} {layers}"
    where = "" if library == "none" else "prototype, "
    plural = "layer" if layers == 1 else "layers"
    return Variant(name, f"{where}{layers} {plural}: {KINDS[kind]}", library, kind, layers,
                   separator.join(names), f"lib{file}.so")


def build(key):
    return Variant(key, BUILDS[key], key)


def shipped(tool, layers=1):
    """A tool of the installation, with its report in the folder of the run."""
    entry = f"{tool}(out=count.txt)" if tool == "count" else tool
    title = f"tool {tool}" if layers == 1 else f"{layers} of the tool {tool}"
    return Variant(f"tool {tool} {layers}", title, "none", f"tool {tool}", layers,
                   ",".join([entry] * layers))


def wrapper():
    return Variant("PMPI wrapper", "a preloaded PMPI wrapper", "none", "wrapper", 1,
                   preload="libwrapper.so")


def other(definition):
    """Other tools under the unpatched library, as "NAME=VARIABLE=VALUE [VARIABLE=VALUE]"."""
    name, _, text = definition.partition("=")
    variables = dict(word.partition("=")[::2] for word in shlex.split(text))
    if not name or not variables or "" in variables:
        raise Failure(f"--other={definition} is not of the form 'NAME=VARIABLE=VALUE [VARIABLE=VALUE]'")
    return Variant(name, name, "base", "wrapper", 1, variables=variables)


def member(layers, folder):
    plural = "member" if layers == 1 else "members"
    return Variant(f"pmpi= {layers}", f"{layers} {plural} of the chain: the same wrapper, pmpi=",
                   "none", "pmpi=", layers, ",".join([f"pmpi={folder}/libwrapper.so"] * layers))
