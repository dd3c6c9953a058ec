#!/usr/bin/env python3
"""How good the suggested signatures are: what compiles with them, and which types are wrong.

usage: suggest.py TRITCC [-IPATH] [--truth ROWS.jsonl] [--launches] [-j JOBS] [-v] FILE.py|FOLDER...

Takes the -sig that `tritcc --list-kernels` prints for each kernel (the one that an error about missing types
suggests) and compiles to ptx with it. ROWS.jsonl: signatures of real launches, in the format of peer.py; with
it, every parameter that is a float there and an integer in the suggestion counts as silently wrong, and so does
an array of floats taken for integers. --launches: so does what the launches in the same files and in the others pass
(launched.py). -v prints each suggestion. Python's standard library is enough.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess

import launched

FLOATS = re.compile(r"(fp|bf|f)\d")


def run(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return -1, "", "error: took more than a minute"


def suggestions(options, file):
    """[(kernel, signature, {parameter: type})] of a file."""
    status, out, err = run([options.tritcc, *options.include, "-arch=" + options.arch, "--list-kernels", file])
    if "is a helper" in err or "no @triton.jit function" in err:
        return []
    if status:
        return [("", "", {}, next((l for l in err.splitlines() if "error" in l), err))]
    found = []
    for text in out.split("\n\n"):
        signature = re.search(r"^  -sig '(.*)'$", text, re.M)
        types = dict(re.findall(r"^  (\w+): (?:constexpr )?(.*?)(?: \(guessed\))?$", text, re.M))
        if signature:
            found.append((text.split(" ")[0], signature[1], types, ""))
    return found


def compile_with(options, file, signature):
    command = [options.tritcc, *options.include, "-w", "-arch=" + options.arch, "-emit=ptx=/dev/null", "-sig", signature, file]
    status, _, err = run(command)
    if status == 0:
        return ""
    return next((l for l in err.splitlines() if re.search("error|internal", l)), "status %d" % status)


def kind(text):
    """'*f', '*i', 'f', 'i' or another: of a type, or of a constant's value."""
    star = "*" if text.startswith("*") else ""
    bare = text.lstrip("*")
    if FLOATS.match(bare) or re.fullmatch(r"-?\d*\.\d*(e[-+]?\d+)?", bare):
        return star + "f"
    if re.match(r"[iu]\d+(:|$)", bare) or re.fullmatch(r"-?\d+", bare):
        return star + "i"
    return "other"


def read_truth(path):
    """{(file, kernel): {parameter: {kinds}}}"""
    truth = {}
    for line in open(path) if path else ():
        row = json.loads(line)
        types = truth.setdefault((os.path.basename(row["file"]), row["kernel"]), {})
        for name, text in row["signature"].items():
            value = row["constexprs"].get(name) if text == "constexpr" else text
            types.setdefault(name, set()).add(kind(repr(value) if text == "constexpr" else text))
    return truth


def wrong(types, real):
    for name, text in types.items():
        kinds = real.get(name, set())
        if kinds in ({"f"}, {"*f"}) and kind(text) == next(iter(kinds)).replace("f", "i"):
            yield "%s is %s, taken for %s" % (name, "/".join(kinds), text)


def python_of(paths):
    for path in paths:
        folders = [(os.path.dirname(path), [], [os.path.basename(path)])] if os.path.isfile(path) else os.walk(path)
        for folder, _, names in folders:
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".py"))


def files_of(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, _, names in os.walk(path):
            for name in sorted(names):
                file = os.path.join(folder, name)
                if name.endswith((".py", ".tri")) and re.search(r"^\s*@.*\bjit\b", open(file, errors="replace").read(), re.M):
                    yield file


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tritcc")
    parser.add_argument("paths", nargs="+")
    parser.add_argument("-I", dest="include", action="append", default=[])
    parser.add_argument("--truth")
    parser.add_argument("--launches", action="store_true")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("-j", dest="jobs", type=int, default=2)
    parser.add_argument("-v", dest="verbose", action="store_true")
    options = parser.parse_args()
    options.include = ["-I" + path for path in options.include]
    truth, total, good, silent, checked = read_truth(options.truth), 0, 0, 0, 0
    pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
    files = list(files_of(options.paths))
    launches = launched.read(python_of(options.paths)) if options.launches else {}
    for file, kernels in zip(files, pool.map(lambda f: suggestions(options, f), files)):
        said = pool.map(lambda k: k[3] or compile_with(options, file, k[1]), kernels)
        for (kernel, signature, types, _), error in zip(kernels, said):
            total += 1
            good += not error
            if error or options.verbose:
                print("%s: %s\n    %s" % (file, signature or "no list", error or "compiles"))
            real = {name: set(kinds) for name, kinds in truth.get((os.path.basename(file), kernel), {}).items()}
            for name, kinds in launches.get((file, kernel), {}).items():
                real.setdefault(name, set()).update(kinds)
            checked += sum(kinds in ({"f"}, {"*f"}) for kinds in real.values())
            for text in wrong(types, real):
                silent += 1
                print("%s: %s: wrong: %s" % (file, kernel, text))
    print("%d of %d kernels compile with the suggestion (%.1f %%)" % (good, total, 100 * good / max(total, 1)))
    print("%d of %d known floats are taken for integers" % (silent, checked))


if __name__ == "__main__":
    main()
