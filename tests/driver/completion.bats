# Completion as it is typed: a real bash on a terminal of its own, TAB pressed.
load ../helpers

setup() { cd "$BATS_TEST_TMPDIR"; }

# types TEXT: what tritcc is called with after the line, each argument in <>.
types()
{
    command -v script >/dev/null || skip "no script(1) to make a terminal"
    tritcc --print-option-table=bash
    printf '%s\n' "$output" >completion.bash
    printf 'PS1=\nsource ./completion.bash\ntritcc() { printf "<%%s>" "$@" >got; }\n' >rc
    { sleep 1; printf '%b' "$1\n"; sleep 1; printf 'exit\n'; } |
        TERM=dumb timeout 20 script -qc 'bash --noprofile --rcfile rc -i' /dev/null >/dev/null
    got=$(cat got)
}

@test "bash: an option that takes a value goes on after its =" {
    types 'tritcc -emi\tcub\t'
    [ "$got" = "<-emit=cubin>" ]
}

@test "bash: what stands before a comma stays as it is" {
    types 'tritcc -emit=ptx,cub\t'
    [ "$got" = "<-emit=ptx,cubin>" ]
}

@test "bash: files are completed with their spaces quoted" {
    : >'a file.tri'
    types 'tritcc a\t'
    [ "$got" = "<a file.tri>" ]
}
