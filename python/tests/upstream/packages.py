"""Compiles kernels of installed packages by Triton and by tritcc, and says where their verdicts differ.

    python packages.py ROWS.jsonl PACKAGES [-k WORD] [--arch 90] [-v]

ROWS.jsonl: one specialisation a line, as tests/peer/guess.py writes them; PACKAGES: the folder of the packages. A kernel
that one takes and the other refuses is named with what was said of it. Nothing is launched. The exit status is 1 when
there are any."""

import argparse
import collections
import json
import os
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(HERE))), "tests", "peer"))


def verdict(row, packages, target, peer):
    """None, or why the kernel is refused."""
    import triton

    try:
        source = peer.source(row, os.path.join(packages, row["file"]), packages)
    except Exception as error:
        raise ImportError(f"{row['file']}: {peer.cause(error)}") from error
    try:
        triton.compile(source, target=target, options={"num_warps": row.get("num_warps", 4)})
    except Exception as error:
        return " ".join(peer.cause(error).split())[:300] or type(error).__name__
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rows")
    parser.add_argument("packages")
    parser.add_argument("-k", default="", help="part of file:kernel")
    parser.add_argument("--arch", type=int, default=90, help="compute capability")
    parser.add_argument("-v", action="store_true", help="name every kernel")
    arguments = parser.parse_args()
    try:
        import torch  # noqa: F401  the real one, where there is one
    except ImportError:
        pass
    import peer
    from triton.backends.compiler import GPUTarget

    import tritcc.triton

    target = GPUTarget("cuda", arguments.arch, 32)
    peer.prepare(target)
    counts, seconds = collections.Counter(), [0.0, 0.0]
    with open(arguments.rows) as lines:
        rows = [json.loads(line) for line in lines]
    with tempfile.TemporaryDirectory(prefix="verdicts-") as folder:
        os.environ["TRITON_CACHE_DIR"] = folder
        for number, row in enumerate(rows):
            label = f"{row['file']}:{row['kernel']}#{number}"
            if arguments.k not in label:
                continue
            said = []
            for i in range(2):
                start = time.monotonic()
                if i:
                    tritcc.triton.install(strict=True, launcher="triton")
                try:
                    said.append(verdict(row, arguments.packages, target, peer))
                except ImportError as error:
                    said.append(error)
                finally:
                    if i:
                        tritcc.triton.uninstall()
                seconds[i] += time.monotonic() - start
            if isinstance(said[0], ImportError):
                counts["not there"] += 1
                print("----", label, said[0])
                continue
            same = (said[0] is None) == (said[1] is None)
            kind = ("both take" if said[0] is None else "both refuse") if same else "only Triton" if said[1] else "only tritcc"
            counts[kind] += 1
            if not same or arguments.v:
                print(f"{kind}: {label}: {said[1] or said[0] or ''}", flush=True)
    print(dict(counts), f"tritcc {seconds[1]:.1f} s, Triton {seconds[0]:.1f} s")
    return int(bool(counts["only Triton"] + counts["only tritcc"]))


if __name__ == "__main__":
    sys.exit(main())
