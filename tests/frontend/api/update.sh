#!/bin/bash
# Writes the CHECK lines of kernels anew, after each kernel, from what the compiler says now: all its operations but the
# common ones that address memory. Read the difference before you commit it.
#
#     TRITCC=build/tritcc tests/frontend/api/update.sh FILE...
set -eu
tritcc() { "$TRITCC" "$@"; }

for file in "$@"; do
    sed -i '/^# CHECK/d' "$file"
    command=$(sed -n 's/^# RUN: \(.*\) | FileCheck %s$/\1/p' "$file")
    output=$(mktemp)
    eval "${command//%s/$file}" >"$output"
    awk -v common='^(%[^ ]+ = )?(arith[.]constant|tt[.]make_range|tt[.]splat|tt[.]addptr|tt[.]return|tt[.]expand_dims|tt[.]broadcast|scf[.]yield|[}])' \
        -v wanted="$(sed -n 's/^# KEEP: //p' "$file")" '
        function flush() {
            if (kernel == "") return
            printf "# CHECK-LABEL: @%s(\n%s", kernel, checks[kernel]
            kernel = ""
            blank = "\n\n"
        }
        FNR == NR {
            if (match($0, /tt.func (public|private) @"?[^("]+/)) {
                name = substr($0, RSTART, RLENGTH)
                sub(/.*@"?/, "", name)
            } else if (name != "") {
                sub(/^ +/, "")
                if ($0 !~ common || (wanted != "" && $0 ~ wanted))
                    if ($0 != "") checks[name] = checks[name] "# CHECK: " $0 "\n"
            }
            next
        }
        /^$/ { blank = blank "\n"; next }
        /^[^ #)\]}]/ { flush() }
        {
            printf "%s%s\n", blank, $0
            blank = ""
        }
        /^def / {
            found = substr($0, 5)
            sub(/\(.*/, "", found)
            if (found in checks) kernel = found
        }
        END { flush() }' "$output" "$file" >"$file.new"
    cat "$file.new" >"$file"
    rm -f "$file.new" "$output"
done
