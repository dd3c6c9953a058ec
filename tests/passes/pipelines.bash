# Pipelines of targets, for tests that change them.

# pipeline_of ARCH OPTION...: the pipeline of the target: passes and options, one a line.
pipeline_of() {
    "$TRITCC" --print-pipeline "-arch=$1" "${@:2}" | sed -n 's/^  -passes=//p' | paste -sd, | awk '{
        for (i = 1; i <= length($0); i++) {
            c = substr($0, i, 1)
            if (c == "{") depth++
            if (c == "}") depth--
            printf "%s", c == "," && !depth ? "\n" : c
        }
        print ""
    }'
}

# run_passes LIST FILE: the passes in the file LIST, one a line, over raw.ttir for $arch into FILE.
run_passes() { "$TRITCC" -x ttir -passes="$(paste -sd, "$1")" "-arch=$arch" raw.ttir -o "$2"; }

# make_raw FILE KERNEL SIGNATURE: the kernel as ttir that no pass has seen, raw.ttir.
make_raw() {
    if [[ $1 == *.tri ]]; then
        "$TRITCC" -passes= -k "$2" -sig "$3" "-arch=$arch" "$1" -o raw.ttir
    else
        cp "$1" raw.ttir
    fi
}

# run_on WHERE FILE ARRAY NAME ARGUMENT...: runs FILE, writes what ARRAY is afterwards to NAME.npy.
run_on() {
    "$TRITRUN" "-arch=$1" -o "$3=$4.npy" "$2" "${@:5}"
}
