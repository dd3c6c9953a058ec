# What README and the manual tell people to type works, word for word.
load ../helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cp "$EXAMPLES"/vadd/* .
    PATH=$BUILDDIR:$PATH
}

# Lines of standard input, one after the other: each must succeed.
run_each() {
    local line n=0
    while read -r line; do
        n=$((n + 1))
        bash -ec "$line" >.out 2>.err </dev/null || { echo "\$ $line" && cat .err && return 1; }
    done
    [ "$n" -ge "$1" ]
}

@test "commands of README" {
    # a line that cannot run here: objects for GPUs need ptxas
    sed -nE 's/^    ((tritcc|tritrun|cc) .*)/\1/p' "$SRCDIR/README.md" |
        { [ -n "$(command -v ptxas)" ] && cat || sed 's/-arch=sm_80,sm_90a,x86-64-v3/-arch=compute_80,x86-64-v2/'; } | run_each 7
}

@test "commands of the manual" {
    cat "$BUILDDIR"/man/*.7 "$BUILDDIR/man/tritcc.1" | sed -nE 's/^\.Dl \$ (tritcc .*)/\1/p' | sed 's/\\(aq/\x27/g; s/\\-/-/g' >all
    grep 'vadd' all | { [ -n "$(command -v ptxas)" ] && cat || sed 's/-arch=sm_80,sm_90a,x86-64-v3/-arch=compute_80,x86-64-v2/'; } | run_each 6
}

@test "files that README names are there" {
    grep -v '^    ' "$SRCDIR/README.md" | grep -oE '\]\([^)#:]+\)' | tr -d '])(' | while read -r file; do
        [ -e "$SRCDIR/$file" ] || { echo "$file"; false; }
    done
    grep -oE '`(driver|bench|examples|share|include|python|tests|passes|ir|targets)/[A-Za-z0-9_./-]*`' "$SRCDIR/README.md" "$SRCDIR/CONTRIBUTING.md" | sed 's/^[^`]*`//; s/`//' | sort -u |
        while read -r file; do
            [ -e "$SRCDIR/$file" ] || { echo "$file"; false; }
        done
}
