#!/bin/sh
# The kernels of the tests as inputs of the fuzz target `frontend`: tests/fuzz/seeds.sh FOLDER.
# One file per kernel, with its types in front and the functions of its file that it names.
set -eu
src=$(cd "$(dirname "$0")/../.." && pwd)
out=$1
mkdir -p "$out"

# kernel FILE NAME TYPES: imports, constants, and the functions that NAME needs.
kernel() {
    awk -v want="$2" -v types="$3" '
        /^[^ #)\]}]/ && !(open && /^def |^class /) { n++; open = 0 }
        /^@/ { open = 1 }
        /^def |^class / { open = 0; name[n] = $2; sub(/[(:].*/, "", name[n]) }
        { text[n] = text[n] $0 "\n" }
        END {
            need[want] = 1
            do {
                more = 0
                for (i = 1; i <= n; i++)
                    for (k = 1; k <= n; k++)
                        if (name[i] in need && name[k] != "" && !(name[k] in need) && text[i] ~ ("[^a-zA-Z0-9_]" name[k] "[^a-zA-Z0-9_]")) {
                            need[name[k]] = 1
                            more = 1
                        }
            } while (more)
            printf "#sig %s\n", types
            for (i = 1; i <= n; i++)
                if (name[i] == "" && text[i] !~ /^"""/ || name[i] in need)
                    printf "%s", text[i]
        }' "$1" >"$out/$2-$(printf %s "$3" | cksum | cut -d' ' -f1)"
}

sed -n 's/^ *lowers \([a-z0-9_]*\) "\([^"]*\)".*/\1 \1(\2)/p' "$src/tests/frontend/lowering.bats" | while read -r name types; do
    kernel "$src/tests/frontend/$(grep -lE "^def $name\(" "$src"/tests/frontend/*.tri | head -n 1 | sed 's/.*\///')" "$name" "$types"
done
kernel "$src/examples/vadd/vadd.tri" add_kernel "*fp32:16, *fp32:16, *fp32:16, i32, 1024"
kernel "$src/examples/softmax/softmax.tri" softmax_kernel "*fp32:16, *fp32:16, i32, i32, i32, i32, 1024, 2"
kernel "$src/examples/layernorm/layernorm.tri" _layer_norm_fwd_fused \
    "*fp32:16, *fp32:16, *fp32:16, *fp32:16, *fp32, *fp32, i32, i32, fp32, 1024"

# The kernels that are rejected, each with the preamble of its test file.
awk -v out="$out" '
    /^EOF$/ && head == 1 { head = 2; next }
    head == 1 { preamble = preamble $0 "\n"; next }
    /cat <<.EOF.$/ && !head { head = 1; next }
    / <<.EOF.$/ && head == 2 { body = 1; n++; file = out "/rejected" n
        printf "#sig k(p=*fp32, c=*kfp32, n=i32, B=64)\n%s", preamble >file; next }
    /^EOF$/ { if (body) close(file); body = 0; next }
    body { print "    " $0 >file }' "$src/tests/frontend/errors.bats"
