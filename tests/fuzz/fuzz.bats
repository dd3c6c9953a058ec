# A short run of each fuzz target, the same on every machine: what tests/fuzz/run.sh does for longer.
load ../helpers

# fuzz TARGET RUNS FOLDER [LONGEST]
fuzz() {
    need file "$BUILDDIR/tests/fuzz/$1"
    mkdir work && cd work
    "$BUILDDIR/tests/fuzz/$1" -runs="$2" -seed=7 -max_len="${4:-4000}" -timeout=60 -rss_limit_mb=4096 "$3" >log 2>&1 || { tail -n 60 log; false; }
}

@test "texts are parsed, or refused, without a crash" {
    mkdir seeds
    cp "$SRCDIR"/tests/frontend/syntax/*.py seeds/
    fuzz parse 6000 "$PWD/seeds"
}

@test "kernels are lowered, or refused, without a crash" {
    "$SRCDIR/tests/fuzz/seeds.sh" seeds
    fuzz frontend 1500 "$PWD/seeds"
}

@test "modules are read and printed, or refused, without a crash" {
    "$SRCDIR/tests/fuzz/ir_seeds.sh" seeds
    fuzz ir 1500 "$PWD/seeds" 12000
}

@test "inline PTX runs, or is refused, without a crash" {
    "$SRCDIR/tests/fuzz/ptx_seeds.sh" seeds
    fuzz ptx 20000 "$PWD/seeds"
}
