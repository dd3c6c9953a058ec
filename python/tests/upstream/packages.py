"""Compiles kernels of installed packages by Triton and by tritcc, and says where their verdicts differ.

    python packages.py ROWS.jsonl PACKAGES [-k WORD] [--arch 90] [--limit SECONDS] [-v]

ROWS.jsonl: one specialisation a line, as tests/peer/guess.py writes them; PACKAGES: the folder of the packages. A kernel
that one takes and the other refuses is named with what was said of it. Nothing is launched: without a GPU, packages
that look for one when they are imported are told of one (FlagGems wants GEMS_VENDOR=nvidia, too). Each compilation has a
process of its own, which may crash or take too long: such rows are not compared. The exit status is 1 when verdicts
differ."""

import argparse
import collections
import json
import os
import signal
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(HERE))), "tests", "peer"))

SHARED = 232448  # bytes that a block has on compute capability 9.0


def compiled(source, row, target, peer):
    """None, or why the kernel is refused. What needs too much shared memory Triton compiles, and refuses to load."""
    import triton

    try:
        kernel = triton.compile(source, target=target, options={"num_warps": row.get("num_warps", 4)})
    except Exception as error:
        return " ".join(peer.cause(error).split())[:300] or type(error).__name__
    shared = kernel.metadata.shared
    return f"{shared} bytes of shared memory" if shared > SHARED else None


def apart(call, limit):
    """What `call` gives in a process of its own; Unknown when it crashes, or takes more than `limit` seconds."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(limit)
            os.close(out)
            with open(into, "w") as file:
                json.dump(call(), file)
            status = 0
        finally:
            os._exit(status)
    os.close(into)
    with open(out) as file:
        said = file.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == -signal.SIGALRM:
        raise Unknown(f"takes more than {limit} s")
    if status:
        raise Unknown(f"ended with {status}")
    return json.loads(said)


class Unknown(Exception):
    """Of this row there is no verdict."""


def verdicts(row, arguments, target, peer):
    """(Triton's, tritcc's), each None or why the kernel is refused."""

    def by_tritcc():
        import tritcc.triton

        tritcc.triton.install(strict=True, launcher="triton")
        return compiled(source, row, target, peer)

    try:
        source = peer.source(row, os.path.join(arguments.packages, row["file"]), arguments.packages)
    except Exception as error:
        raise Unknown(f"{row['file']}: {peer.cause(error)}") from error
    said = []
    for name, call in (("Triton", lambda: compiled(source, row, target, peer)), ("tritcc", by_tritcc)):
        try:
            said.append(apart(call, arguments.limit))
        except Unknown as error:
            raise Unknown(f"{name} {error}") from None
    return said


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rows")
    parser.add_argument("packages")
    parser.add_argument("-k", default="", help="part of file:kernel")
    parser.add_argument("--arch", type=int, default=90, help="compute capability")
    parser.add_argument("--limit", type=int, default=120, help="seconds of a compilation")
    parser.add_argument("-v", action="store_true", help="name every kernel")
    arguments = parser.parse_args()
    try:
        import torch  # the real one, where there is one
    except ImportError:
        torch = None
    import peer
    from triton.backends.compiler import GPUTarget

    target = GPUTarget("cuda", arguments.arch, 32)
    peer.prepare(target)
    if torch is not None and not torch.cuda.is_available():
        import plugin

        plugin.pretend()
    counts = collections.Counter()
    with open(arguments.rows) as lines:
        rows = [json.loads(line) for line in lines]
    with tempfile.TemporaryDirectory(prefix="verdicts-") as folder:
        os.environ["TRITON_CACHE_DIR"] = folder
        for number, row in enumerate(rows):
            label = f"{row['file']}:{row['kernel']}#{number}"
            if arguments.k not in label:
                continue
            try:
                theirs, ours = verdicts(row, arguments, target, peer)
            except Unknown as error:
                counts["not compared"] += 1
                print(f"---- {label}: {error}", flush=True)
                continue
            same = (theirs is None) == (ours is None)
            kind = ("both take" if theirs is None else "both refuse") if same else "only Triton" if ours else "only tritcc"
            counts[kind] += 1
            if not same or arguments.v:
                print(f"{kind}: {label}: {ours or theirs or ''}", flush=True)
    print(dict(counts))
    return int(bool(counts["only Triton"] + counts["only tritcc"]))


if __name__ == "__main__":
    sys.exit(main())
