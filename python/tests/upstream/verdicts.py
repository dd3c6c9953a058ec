"""Runs Triton's own tests of its language as they are written, once compiled by Triton and once by tritcc, and compares.

    python verdicts.py TRITON/python/test/unit/language [-k EXPRESSION] [-n 16] [--sample 10] [--dry] [--list FILE]

Counts the tests that pass with Triton, how many of them pass with tritcc, and lists the others by the first line of
their failure. The exit status is 0 when the share is at least --goal (98 %). Needs pytest, torch and numpy; pytest-xdist
for -n. Without a GPU, --dry compiles for one that is not there and launches nothing: what a test asserts about texts,
errors and metadata counts, and what it asserts about numbers does not (`plugin.py`)."""

import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def lost_its_device(outcome, text):
    """Has a kernel faulted, perhaps of a test before this one? A process launches nothing after that."""
    return outcome == "failed" and ("CUDA error" in text or "Error [CUDA]" in text)


def run(compiler, arguments, folder):
    """{test: (outcome, first line of its failure)} of the suite with a compiler, and the seconds that it took. Tests that fail
    for a fault of the device run again, each in a process of its own: after a fault, all that follow in a process fail."""
    start = time.monotonic()
    rows = run_once(compiler, arguments, folder, arguments.suite, arguments.n)
    seconds = time.monotonic() - start
    root = os.path.commonpath(arguments.suite) if len(arguments.suite) > 1 else arguments.suite[0]
    again = [name for name, row in rows.items() if lost_its_device(*row[:2])]
    for line in faults(rows):
        print(f"{compiler}: {line}", flush=True)

    def alone(number):
        name = again[number]
        test = os.path.join(root if os.path.isdir(root) else os.path.dirname(root), name.partition("::")[0].rpartition("/")[2])
        return run_once(f"{compiler}-{number}", arguments, folder, [test + "::" + name.partition("::")[2]], 0)

    with concurrent.futures.ThreadPoolExecutor(max(1, arguments.n)) as pool:
        for name, found in zip(again, pool.map(alone, range(len(again)))):
            rows[name] = next(iter(found.values()), rows[name])
    return {name: row[:2] for name, row in rows.items()}, seconds


def faults(rows):
    """A line for each process that lost its device: the test that said so first, and those before it, one of which it may
    have been where a launch is not waited for."""
    before, lost = collections.defaultdict(list), set()
    for name, (outcome, text, worker) in rows.items():
        if worker not in lost and lost_its_device(outcome, text):
            lost.add(worker)
            yield f"{worker or 'a process'} lost its device in {name}, after {', '.join(before[worker][-3:]) or 'none'}: {text[:90]}"
        before[worker].append(name.rpartition("::")[2])


def run_once(compiler, arguments, folder, tests, processes):
    log = os.path.join(folder, compiler + ".log")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TRITCC", "TRITON"))}
    environment.update(
        PYTHONPATH=os.pathsep.join([HERE, *filter(None, [environment.get("PYTHONPATH")])]),
        TRITON_CACHE_DIR=os.path.join(folder, compiler),
        VERDICTS_LOG=log,
        VERDICTS_DRY=str(int(arguments.dry)),
        VERDICTS_SAMPLE=str(arguments.sample if processes or tests is arguments.suite else 1),
        TRITCC=str(int(compiler.startswith("tritcc"))),
        TRITCC_STRICT=str(int(arguments.strict)),
    )
    command = [sys.executable, "-m", "pytest", "-q", "-x" if arguments.first else "--tb=short", "-p", "plugin"]
    command += ["-p", "no:cacheprovider", "--confcutdir", os.path.abspath(os.sep), *tests]
    command += ["-n", str(processes)] if processes else []
    command += ["-k", arguments.k] if arguments.k and tests is arguments.suite else []
    command += ["--device", "cpu"] if arguments.dry else []
    with open(os.path.join(folder, compiler + ".out"), "w") as out:
        try:
            subprocess.run(command, env=environment, stdout=out, stderr=out, timeout=arguments.limit)
        except subprocess.TimeoutExpired:
            print(f"{compiler}: stopped after {arguments.limit} s", flush=True)
    if not os.path.exists(log):
        with open(os.path.join(folder, compiler + ".out")) as out:
            raise SystemExit(f"{compiler}: no test has run\n{out.read()[-3000:]}")
    with open(log) as lines:
        rows = [json.loads(line) for line in lines]
    return {name: (outcome, text, worker) for name, outcome, text, worker in rows}


def compare(theirs, ours, listed):
    """(tests that pass with Triton and ended with tritcc, how many of them pass with it); prints what differs."""
    passed = [name for name, (outcome, _) in theirs.items() if outcome == "passed" and name in ours]
    worse = [name for name in passed if ours[name][0] != "passed"]
    better = [n for n, (o, _) in ours.items() if o == "passed" and theirs.get(n, ("passed",))[0] == "failed"]
    causes = collections.defaultdict(list)
    for name in worse:
        causes[name.partition("[")[0].rpartition("/")[2], ours[name][1][:110]].append(name)
    for (test, text), names in sorted(causes.items(), key=lambda c: -len(c[1])):
        print(f"{len(names):5}  {test}: {text}")
    if listed:
        with open(listed, "w") as out:
            out.writelines(f"{name}\t{ours[name][1]}\n" for name in worse)
    print(f"{len(better)} fail with Triton and pass with tritcc")
    return len(passed), len(passed) - len(worse)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("suite", nargs="+", help="folder, files or tests of Triton's python/test/unit/language")
    parser.add_argument("-k", help="as pytest takes it")
    parser.add_argument("-n", type=int, default=0, help="processes")
    parser.add_argument("--sample", type=int, default=1, help="one of so many cases of each test")
    parser.add_argument("--dry", action="store_true", help="without a GPU: nothing is launched")
    parser.add_argument("--strict", action="store_true", help="what tritcc refuses fails, and Triton compiles nothing")
    parser.add_argument("--first", action="store_true", help="stop at the first failure")
    parser.add_argument("--goal", type=float, default=98.0, help="percent")
    parser.add_argument("--limit", type=float, help="seconds for each compiler")
    parser.add_argument("--list", help="file for the names of tests that only Triton passes")
    arguments = parser.parse_args()
    arguments.suite = [os.path.abspath(s) if os.path.exists(s) else s for s in arguments.suite]
    with tempfile.TemporaryDirectory(prefix="verdicts-") as folder:
        theirs, seconds = run("triton", arguments, folder)
        ours, mine = run("tritcc", arguments, folder)
    count, good = compare(theirs, ours, arguments.list)
    share = 100 * good / count if count else 0.0
    print(f"{good} of {count} that pass with Triton pass with tritcc: {share:.2f} %; {mine:.0f} s, Triton {seconds:.0f} s")
    return int(share < arguments.goal)


if __name__ == "__main__":
    sys.exit(main())
