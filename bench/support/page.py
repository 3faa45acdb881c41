#!/usr/bin/env python3
"""Make docs/measured.md from bench/results: python3 bench/support/page.py > docs/measured.md  (./dev docs).

Each folder is a machine.  `./dev bench NAME --json` writes NAME.json.  carried.json, winograd.json and decisions.json keep
figures of an earlier page.  notes.json has the introduction of the page, and the reasons for rows below 1."""
import json
import math
import os
import re
import sys

RESULTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "results")
ORDER = ["gemm", "small", "tccg", "path", "conv", "pool", "pool_add", "resize", "map", "reduce", "permute", "repeat",
         "sort", "index", "transcendental", "special", "call", "lenet", "zoo", "opencl"]
TITLES = {"gemm": "matrix products", "small": "matrix products of sizes 1 to 64", "tccg": "tensor contractions (TCCG)",
          "path": "einsum of 4 to 40 tensors", "conv": "convolutions", "pool": "pooling", "pool_add": "max-pool and add",
          "resize": "resizing", "map": "maps", "reduce": "reductions", "permute": "transposes", "repeat": "tile, repeat",
          "sort": "sorting", "index": "indexing", "transcendental": "floating-point operators",
          "special": "special functions, random draws", "call": "operators on one element", "lenet": "a training step (LeNet)",
          "zoo": "networks of the zoo: inference, training steps", "opencl": "OpenCL (PoCL) against the cpu engine"}
# Benchmarks with rows of several kinds: the pattern of a row's name, and the name of the kind.
KINDS = {"conv": [(r"depthwise", "depthwise"), (r"forward b\d+ \d+\^2 \d+>\d+ \dx\d/\d$", "ResNet-50, forward"),
                  (r"input gradient", "ResNet-50, gradients of inputs"),
                  (r"kernel gradient", "ResNet-50, gradients of kernels"), (r"", "others")],
         "small": [(r"all shapes$", "means of all shapes"), (r"", None)],  # the other rows are the worst of these
         "transcendental": [(r"^loop of", "bare loops"), (r"", "whole functions")]}
OTHER_WORK = {"1DNN any": "oneDNN in a layout of its choice"}  # it rearranges the operands: shown, never the best peer
BELOW = 0.95  # limit of slower rows: a ratio nearer to 1 is noise between two runs
WORST = 5  # rows named for a benchmark


def load(path):
    with open(path) as file:
        return json.load(file)


def ratios(row):
    """Return {peer: its least time over ours}, which is repeatable on a shared machine.  Means are stored as ratios."""
    ours = row.get("ours", {})
    return {peer: times["min_s"] / ours["min_s"] if "min_s" in times and "min_s" in ours else times["ratio"]
            for peer, times in row.get("peers", {}).items()}


def best(row):
    """Return (ratio, name) of the fastest peer that does the same work."""
    return min((ratio, peer) for peer, ratio in ratios(row).items() if peer not in OTHER_WORK)


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def folders():
    return sorted(name for name in os.listdir(RESULTS) if os.path.isdir(os.path.join(RESULTS, name)))


def documents(folder):
    """Return the benchmarks of a machine, in the order of the page."""
    found = {}
    for name in sorted(os.listdir(os.path.join(RESULTS, folder))):
        document = load(os.path.join(RESULTS, folder, name))
        if "benchmark" in document:
            found[document["benchmark"]] = document
    return [found[name] for name in sorted(found, key=lambda n: (ORDER.index(n) if n in ORDER else len(ORDER), n))]


def kind_of(benchmark, row):
    for pattern, kind in KINDS.get(benchmark, [(r"", "")]):
        if re.search(pattern, row["name"]):
            return kind
    return None


def groups(document):
    """Return [(kind, {threads: rows with peers})]: one line of the table each."""
    found = {}
    for row in document["rows"]:
        kind = kind_of(document["benchmark"], row)
        if kind is not None and ratios(row):
            found.setdefault(kind, {}).setdefault(row["threads"], []).append(row)
    kinds = [kind for _, kind in KINDS.get(document["benchmark"], [("", "")])]
    return sorted(found.items(), key=lambda group: kinds.index(group[0]))


def first(document):
    """Return the rows with the fewest threads, of all kinds."""
    return [row for _, by_threads in groups(document) for row in by_threads[min(by_threads)]]


def title_of(row):
    """Return the name of a row, with its dtype if the name lacks it."""
    return row["name"] if row["dtype"] is None or row["dtype"] in row["name"] else row["name"] + " " + row["dtype"]


def by_peer(rows):
    found = {}
    for row in rows:
        for peer, ratio in ratios(row).items():
            found.setdefault(peer, []).append(ratio)
    return ", ".join("%s %.2f" % (OTHER_WORK.get(peer, peer), mean(values)) for peer, values in found.items())


def table(document):
    for kind, by_threads in groups(document):
        rows = by_threads[min(by_threads)]
        means = ["%.2f" % mean([best(row)[0] for row in by_threads[t]]) if t in by_threads else "" for t in (1, 2)]
        worst = min(rows, key=best)
        shares = [row["share_of_roof"] for row in rows if "share_of_roof" in row]
        title = TITLES.get(document["benchmark"], document["benchmark"]) + (": " + kind if kind else "")
        yield "| %s | %d | %s | %s | %s | %.2f %s (%s) | %s |" % (
            title, len(rows), *means, by_peer(rows), best(worst)[0], title_of(worst), best(worst)[1],
            "%.0f %%" % (100 * mean(shares)) if shares else "")


def commands(found):
    """Yield the commands of each day and commit."""
    runs = {}
    for document in found:
        key = (document["date"][:10], document["commit"])
        runs.setdefault(key, []).append(document["command"].replace("./dev bench ", ""))
    for (date, commit), names in runs.items():
        yield "%s, commit %s: `./dev bench` %s." % (date, commit, ", ".join("`%s`" % name for name in names))


def peers(found):
    known = {}
    for document in found:
        for peer in document["peers"]:
            known.setdefault(peer["name"], peer["version"])
    return "; ".join(version if name.lower() in version.lower() else "%s: %s" % (name, version)
                     for name, version in known.items() if name not in OTHER_WORK)


def machine(document):
    of = document["machine"]
    return "%s (%s), %d processors, caches of a core %d KiB, %d KiB, %d MiB, %s" % (
        of["design"], of["cpu"], of["processors"], of["l1d_kib"], of["l2_kib"], of["l3_kib"] // 1024, document["isa"])


def below(document, notes):
    """Return the slow rows of a benchmark and their reason, or None."""
    slow = sorted((row for row in first(document) if best(row)[0] < BELOW), key=best)
    if not slow:
        return None
    named = ", ".join("%s %.2f" % (title_of(row), best(row)[0]) for row in slow[:WORST])
    return "* %s, %d of %d rows%s: %s. %s" % (
        TITLES.get(document["benchmark"], document["benchmark"]), len(slow), len(first(document)),
        ", the lowest" if len(slow) > WORST else "", named,
        notes.get(document["benchmark"], "The reason is not known."))


def section(folder, notes):
    found = [document for document in documents(folder) if document["benchmark"] != "ablation"]
    if not found:
        return
    print("\n## %s\n" % found[0]["machine"]["design"])
    print("%s. Peers: %s.\n" % (machine(found[0]), peers(found)))
    print("\n".join(commands(found)))
    if folder in notes["about"]:
        print("\n" + notes["about"][folder])
    print("\n| benchmark | rows | ratio, 1 thread | ratio, 2 threads | ratio to each peer | worst row (its best peer) | share of the roof |")
    print("|---|---|---|---|---|---|---|")
    for document in found:
        for line in table(document):
            print(line)
    print("\nThese rows have a ratio below %.2f, for the reasons given:\n" % BELOW)
    for document in found:
        sentence = below(document, notes["below"].get(folder, {}))
        if sentence:
            print(sentence)


def passes(document):
    rows = [row for row in document["rows"] if "peers" in row]
    print("\n## The gain of each pass of the contraction compiler\n")
    print("`%s` on the %s, %s, commit %s. The ratio is the time without the pass over the time with all passes, for %d contractions.\n" %
          (document["command"], document["machine"]["design"], document["date"][:10], document["commit"], len(rows)))
    print("| pass | mean ratio | highest ratio, contraction |\n|---|---|---|")
    for name in rows[0]["peers"]:
        most = max(rows, key=lambda row: row["peers"][name]["ratio"])
        print("| %s | %.2f | %.2f %s |" % (name, mean([row["peers"][name]["ratio"] for row in rows]),
                                         most["peers"][name]["ratio"], most["name"]))


def carried(found):
    names, cells = [], {}
    for document in found:
        for family in document["families"]:
            key = (family["name"], family["peer"])
            if key not in names:
                names.append(key)
            span = " (%.2f to %.2f)" % (family["min"], family["max"]) if "max" in family else \
                " (lowest %.2f)" % family["min"] if "min" in family else ""
            cells[key, document["machine"]["design"]] = "%.2f%s" % (family["ratio"], span)
    print("\n## Earlier figures, on five machines\n")
    print("These figures are geometric means, with the lowest and highest ratios, for one thread. They were not measured again. Source: %s.\n" %
          found[0]["source"])
    for document in found:
        print("* %s: %s, %s; %s; by %s." % (document["machine"]["design"], document["machine"]["cpu"], document["isa"],
                                           ", ".join(document["peers"]), document["date"]))
    designs = [document["machine"]["design"] for document in found]
    print("\n| work, peer | %s |\n|---|%s" % (" | ".join(designs), "---|" * len(designs)))
    for name, peer in names:
        print("| %s; %s | %s |" % (name, peer, " | ".join(cells.get(((name, peer), design), "") for design in designs)))


def winograd(document):
    print("\n## Winograd\n")
    print("Machine: %s. Conditions: %s. Source: %s.\n" % (document["machine"]["design"], document["note"], document["source"]))
    print("| layer | speedup of F(2), batch 1, 8 | of F(4), batch 1, 8 | error of the direct convolution, F(2), F(4) |\n|---|---|---|---|")
    for row in document["rows"]:
        print("| %s | %.2f, %.2f | %.2f, %.2f | %s |" % (row["layer"], *row["f2"], *row["f4"], ", ".join(row["errors"])))


def decisions(document):
    print("\n## The gain of some changes\n")
    print("The factor is %s. Source, with further changes: %s.\n" % (document["note"], document["source"]))
    print("| change | machine | rows | factor |\n|---|---|---|---|")
    for row in document["rows"]:
        print("| %s |" % " | ".join(row))


def main():
    notes = load(os.path.join(RESULTS, "notes.json"))
    print(notes["head"])
    old, ablations = [], []
    for folder in folders():
        section(folder, notes)
    for folder in folders():
        path = os.path.join(RESULTS, folder)
        for name in sorted(os.listdir(path)):
            document = load(os.path.join(path, name))
            if name == "carried.json":
                old.append(document)
            elif document.get("benchmark") == "ablation":
                ablations.append(document)
    carried(sorted(old, key=lambda document: -len(document["families"])))
    for document in ablations:
        passes(document)
    for folder in folders():
        path = os.path.join(RESULTS, folder, "winograd.json")
        if os.path.exists(path):
            winograd(load(path))
    decisions(load(os.path.join(RESULTS, "decisions.json")))


sys.stdout.reconfigure(encoding="utf-8")
main()
