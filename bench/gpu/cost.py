#!/usr/bin/env python3
"""The compiler's cost model (tritcc --estimate) beside what best.py measured: does it order configurations as a device does?

    cost.py --record LOG TSV                 # what best.py printed of each configuration, as rows of a table
    cost.py TRITCC TSV [NAME...] [-v]        # rank correlation over each kernel and over all, and how far the model's
                                             # pick is behind the best measured; -v shows both times of each

The rank correlation is Spearman's. Over all configurations times are compared as they are, and once more each divided by
the least of its kernel, so that kernels of other lengths do not count. Measured times within --tie percent (1) of each other
share a rank, as one run cannot tell them apart."""
import argparse
import pathlib
import re
import subprocess
import sys

import best

HEAD = "kernel\tform\tconfiguration\tms\n"
PERSISTENT_GAINS = 1.03  # what that form must be worth for the compiler to take it (driver/choose.c)
FLAGS = {"default": [], "persistent": ["-fpersistent"]}


def record(log, table):
    lines = re.findall(r"^  (\w+) (\w+) ([\d/]+): ([\d.]+) ms, relative", pathlib.Path(log).read_text(), re.M)
    forms = {"tritcc": "default", "d": "default", "p": "persistent"}
    # what a run says of its machine stands in lines "# machine: ...", which are kept
    said = [line + "\n" for line in pathlib.Path(log).read_text().splitlines() if line.startswith("# ")]
    kept = [f"{name}\t{forms[who]}\t{word}\t{ms}\n" for name, who, word, ms in lines if who in forms]
    pathlib.Path(table).write_text("".join(said) + HEAD + "".join(kept))


def measured(table):
    rows = [line.split("\t") for line in pathlib.Path(table).read_text().splitlines()
            if line and line[0] != "#" and not line.startswith("kernel\t")]
    return {(name, form, word): float(ms) for name, form, word, ms in rows}


def launch_of(row, c):
    """Values of arguments and the grid, as best.py's work_of launches the kernel."""
    cdiv = lambda a, b: -(-a // b)
    name, v = row.name, c.values
    if name.startswith("layernorm"):
        return ("8192" if name == "layernorm" else "8000"), (32768,)
    if name == "product_batched":
        return "2048,stride_a=4194304,stride_b=4194304,stride_c=4194304", (cdiv(2048, v["A"]) * cdiv(2048, v["B"]), 64)
    if name == "product_grouped":
        return "4096,groups=8", (132,)
    if name.startswith("product"):
        s = best.size_of(name, 8192)
        m = 16 if "skinny" in name else s
        tiles = cdiv(m, v["A"]), cdiv(s, v["B"])
        return f"{s},M={m}", tiles if name.endswith("tiles") else (tiles[0] * tiles[1],)
    if name.startswith("attention_bwd"):
        return "4096,stride_head=262144,stride_row=64", (4096 // v["B"], 128)
    n = best.size_of(name, 4096)
    return str(n), (cdiv(n, v["A"]), 128 * 4096 // n)


def estimate(tritcc, row, c, form, arch):
    values, grid = launch_of(row, c)
    command = [tritcc, f"-arch={arch}", "-emit=ttgir", "-o", "-", "-k", row.kernel, f"-num-warps={c.warps}", f"-num-stages={c.stages}",
               "-fhost-tensormaps", *FLAGS[form], f"--estimate={values}", "-grid=" + ",".join(map(str, grid)),
               "-sig", f"{row.kernel}({c.types})", str(row.source)]
    made = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"([\d.]+) us for", made.stderr)
    if made.returncode or not found:
        sys.exit(f"{' '.join(command)}\n{made.stderr}")
    return float(found[1]) / 1e3, made.stderr.strip().splitlines()[-1]


def ranks(values, tie=0.0):
    order = sorted(range(len(values)), key=values.__getitem__)
    out, i = [0.0] * len(values), 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] <= values[order[i]] * (1 + tie):
            j += 1
        for k in range(i, j + 1):
            out[order[k]] = (i + j) / 2
        i = j + 1
    return out


def spearman(a, b, tie):
    x, y = ranks(a, tie), ranks(b)
    n = len(x)
    mx, my = sum(x) / n, sum(y) / n
    xy = sum((p - mx) * (q - my) for p, q in zip(x, y))
    xx, yy = sum((p - mx) ** 2 for p in x), sum((q - my) ** 2 for q in y)
    return xy / (xx * yy) ** 0.5 if xx and yy else 1.0


def compare(given):
    times, all_found, relative, losses, each = measured(given.table), [], [], [], []
    print(f"{'kernel':34s} {'rank correlation':>16s} {'picked':>16s} {'best':>16s} {'behind the best':>16s}")
    for row in best.rows():
        found = []
        for c in row.configs if not given.names or row.name in given.names else []:
            for form in FLAGS:
                if (row.name, form, c.word) in times:
                    guess, text = estimate(given.tritcc, row, c, form, given.arch)
                    word = c.word + (" " + form if form != "default" else "")
                    found.append((times[row.name, form, c.word], guess, word))
                    if given.v:
                        print(f"  {word:24s} {found[-1][0]:8.4f} ms  {text.split('remark: ')[-1]}")
        if len(found) < 2:
            continue
        ms, guesses = [f[0] for f in found], [f[1] for f in found]
        picked = min(found, key=lambda f: f[1] * (PERSISTENT_GAINS if "persistent" in f[2] else 1))
        fastest = min(found)
        losses.append(picked[0] / fastest[0] - 1)
        each.append(spearman(ms, guesses, given.tie / 100))
        all_found += found
        relative += [(m / min(ms), g / min(guesses)) for m, g in zip(ms, guesses)]
        print(f"{row.name:34s} {each[-1]:16.2f} {picked[2]:>16s} {fastest[2]:>16s} {100 * losses[-1]:14.1f} %")
    summary(all_found, relative, losses, each, given.tie / 100)


def summary(found, relative, losses, each, tie):
    print(f"{len(found)} configurations of {len(each)} kernels: rank correlation {spearman([f[0] for f in found], [f[1] for f in found], tie):.3f}, "
          f"of times over the kernel's least {spearman([r[0] for r in relative], [r[1] for r in relative], tie):.3f}, "
          f"mean of kernels {sum(each) / len(each):.3f}")
    print(f"the pick: within 5 % of the best for {sum(l <= 0.05 for l in losses)} of {len(losses)} kernels, "
          f"mean {100 * sum(losses) / len(losses):.1f} %, worst {100 * max(losses):.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", nargs=2, metavar=("LOG", "TSV"))
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--tie", type=float, default=1.0, metavar="PERCENT")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("tritcc", nargs="?")
    parser.add_argument("table", nargs="?")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    record(*given.record) if given.record else compare(given)


if __name__ == "__main__":
    main()
