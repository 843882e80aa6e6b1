# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Archives of OTF2, as otf2-print shows them."""

import collections
import re


class Trace:
    """An archive as otf2-print shows it."""

    EVENT = re.compile(r"^([A-Z][A-Z_]+) +(\d+) +(\d+)  (.*)$")
    FIELD = re.compile(r'([A-Z][A-Za-z]*): ("(?:[^"\\]|\\.)*"(?: <\d+>)?|[^,]*)')

    def __init__(self, mpich, name):
        self.events = []            # (kind, location, time, fields)
        self.sites = []             # texts of the attribute CALLER
        self.groups, self.communicators, self.locations = {}, {}, {}
        self.result = mpich.run("otf2-print", f"{name}.otf2/traces.otf2")
        self.definitions = mpich.run("otf2-print", "-G", f"{name}.otf2/traces.otf2")
        for line in self.result.out.splitlines():
            found = self.EVENT.match(line)
            if found:
                fields = dict(self.FIELD.findall(found[4]))
                self.events.append((found[1], int(found[2]), int(found[3]), fields))
            elif "ADDITIONAL ATTRIBUTES" in line:
                self.sites += re.findall(r'"CALLER" <1>; STRING; "([^"]*)"', line)
        for line in self.definitions.out.splitlines():
            self.define(line)

    def define(self, line):
        kind, number, *_ = line.split() + ["", ""]
        if kind == "GROUP":
            members = re.split(r" Members?", line, maxsplit=1)[1]
            self.groups[int(number)] = [int(i) for i in re.findall(r"(?:: |, )(\d+) \(", members)]
        elif kind == "COMM":
            found = re.search(r'Name: "([^"]*)".*Group: "[^"]*" <(\d+)>', line)
            self.communicators[int(number)] = (found[1], [int(found[2])])
        elif kind == "INTER_COMM":
            found = re.findall(r'Group [AB]: "[^"]*" <(\d+)>', line)
            self.communicators[int(number)] = ("", [int(i) for i in found])
        elif kind == "LOCATION":
            self.locations[int(number)] = int(re.search(r"# Events: (\d+)", line)[1])

    def calls(self, rank):
        """Number of calls of each function in all threads of a rank."""
        return collections.Counter(region(fields) for kind, location, _, fields in self.events
                                   if kind == "ENTER" and rank_of(location) == rank)

    def times(self):
        """Nanoseconds in each function, by rank and thread."""
        times, open_calls = collections.Counter(), collections.defaultdict(list)
        for kind, location, time, fields in self.events:
            if kind == "ENTER":
                open_calls[location].append(time)
            elif kind == "LEAVE":
                times[rank_of(location), location >> 32, region(fields)] += time - open_calls[location].pop()
        return times

    def bytes_sent(self):
        """By the function that sent them, in all ranks."""
        sent, function = collections.Counter(), {}
        for kind, location, _, fields in self.events:
            if kind == "ENTER":
                function[location] = region(fields)
            elif kind in ("MPI_SEND", "MPI_ISEND"):
                sent[function[location]] += int(fields["Length"])
            elif kind == "MPI_COLLECTIVE_END":
                sent[function[location]] += int(fields["Sent"])
        return +sent

    def messages(self, kinds, rank):
        """(world rank of the peer, tag, bytes) -> number"""
        found = collections.Counter()
        for kind, location, _, fields in self.events:
            if kind in kinds and rank_of(location) == rank:
                peer = int(fields.get("Receiver", fields.get("Sender")).split()[0])
                communicator = int(re.search(r"<(\d+)>", fields["Communicator"])[1])
                found[self.world_rank(communicator, peer, rank), int(fields["Tag"]), int(fields["Length"])] += 1
        return found

    def world_rank(self, communicator, peer, rank):
        groups = [self.groups[i] for i in self.communicators[communicator][1]]
        if len(groups) == 1:
            return groups[0][peer] if groups[0] else rank
        return groups[1 if rank in groups[0] else 0][peer]

    def requests(self, kinds, rank):
        return sorted(int(fields["Request"]) for kind, location, _, fields in self.events
                      if kind in kinds and rank_of(location) == rank)


def region(fields):
    return re.match(r'"([^"]*)"', fields["Region"])[1]


def rank_of(location):
    return location & 0xffffffff
