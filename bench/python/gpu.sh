#!/bin/sh
# What the Python package wants a GPU for, within five minutes: torch.compile's figures, the package's tests on the device, and
# a part of Triton's own tests of its language. Nothing is fetched.
#
# usage: bench/python/gpu.sh WHEELS [SUITE] [OUT] [SECTION...]
#   WHEELS   a folder with tritcc's wheel, and with pytest's and pytest-xdist's where Python lacks them
#   SUITE    Triton's folder python/test/unit/language, of the release that is installed; '' leaves that section out
#   OUT      folder for what each section said; by itself $OUT, or ./gpu-out
#   SECTION  compile, tests, verdicts; by itself all
# PYTHON names the interpreter, which has torch and Triton. SAMPLE: one of so many cases of each of Triton's tests (8).
# TESTS_LIMIT: seconds for the package's tests (150).
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
wheels=$(cd "${1:?usage: gpu.sh WHEELS [SUITE] [OUT] [SECTION...]}" && pwd) || exit 2
suite=${2:+$(cd "$2" && pwd)}
out=${3:-${OUT:-gpu-out}}
if [ $# -gt 3 ]; then shift 3; else set -- compile tests verdicts; fi
mkdir -p "$out" && out=$(cd "$out" && pwd)
python=${PYTHON:-python3}
site=$(mktemp -d)
trap 'rm -rf "$site"' EXIT
started=$(date +%s)

say() { echo "[$(($(date +%s) - started)) s] $*"; }

install() {
    for wheel in "$wheels"/*.whl; do
        case ${wheel##*/} in
        tritcc-*) ;;
        *) name=${wheel##*/} && "$python" -c "import ${name%%-*}" 2>/dev/null && continue ;;
        esac
        "$python" -m pip install -q --no-index --no-deps --target "$site" "$wheel" 2>/dev/null ||
            "$python" -m zipfile -e "$wheel" "$site"
    done
    chmod +x "$site"/tritcc/_lib/tritcc
    "$python" -m compileall -q "$site"/tritcc >/dev/null # as pip does
    export PYTHONPATH="$site${PYTHONPATH:+:$PYTHONPATH}"
}

machine() {
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
    "$python" -c 'import sys, torch, triton, tritcc; print("Python", sys.version.split()[0], "PyTorch", torch.__version__,
        "Triton", triton.__version__, "tritcc", tritcc.__version__)'
    grep -m 1 'model name' /proc/cpuinfo
    # both compilers' files are in memory before anything is timed
    cat "$site"/tritcc/_lib/* "$("$python" -c 'import triton; print(triton.__path__[0])')"/_C/*.so >/dev/null
}

compile() { "$python" "$here/bench/python/torch_compile.py" block resnet gpt --threads 1; }

tests() { (cd "$here/python/tests" && timeout "${TESTS_LIMIT:-150}" "$python" -m unittest -v test_direct test_gpu test_launch); }

verdicts() {
    [ -n "$suite" ] || { echo "no SUITE" && return; }
    "$python" "$here/python/tests/upstream/verdicts.py" "$suite" -n "$(nproc)" --sample "${SAMPLE:-8}" \
        --limit 120 --list "$out/only-triton.txt"
}

install
machine 2>&1 | tee "$out/machine.txt"
for section; do
    say "$section"
    "$section" >"$out/$section.txt" 2>&1
    status=$?
    case $section in
    compile) cat "$out/compile.txt" ;;
    *) tail -n 15 "$out/$section.txt" ;;
    esac
    say "$section ended with $status"
done
