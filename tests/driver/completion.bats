# Completion as it is typed: a real bash on a terminal of its own, TAB pressed.
load ../helpers

# types TEXT: what tritcc, or tritrun, is called with after the line, each argument in <>.
types()
{
    command -v script >/dev/null || skip "no script(1) to make a terminal"
    tritcc --print-option-table=bash
    printf '%s\n' "$output" >completion.bash
    "$BUILDDIR/tritrun" -print-option-table=bash >>completion.bash
    printf 'PS1=\nsource ./completion.bash\ntritcc() { printf "<%%s>" "$@" >got; }\ntritrun() { tritcc "$@"; }\n' >rc
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

@test "bash: kinds behind -x, levels behind -O, forms of messages" {
    types 'tritcc -x pt\t'
    [ "$got" = "<-x><ptx>" ]
    types 'tritcc -xpt\t'
    [ "$got" = "<-xptx>" ]
    types 'tritcc -fdiagnostics-format=js\t'
    [ "$got" = "<-fdiagnostics-format=json>" ]
    types 'tritcc -O\t\t2'
    [ "$got" = "<-O2>" ]
}

@test "bash: nothing is made up where no words are known" {
    types 'tritcc -mattr=\t'
    [ "$got" = "<-mattr=>" ]
    types 'tritcc -num-warps=\t4'
    [ "$got" = "<-num-warps=4>" ]
}

@test "bash: warnings, topics, lists, values as words of their own, files and folders" {
    mkdir 'sub folder'
    types 'tritcc -Wno-shi\t -fsanitize=bounds,un\t --help=war\t'
    [ "$got" = "<-Wno-shift-count><-fsanitize=bounds,undefined><--help=warnings>" ]
    types 'tritcc -fdiagnostics-format sa\t -emit ptx,cub\t'
    [ "$got" = "<-fdiagnostics-format><sarif><-emit><ptx,cubin>" ]
    types 'tritcc -ptxas=su\t'
    [ "$got" = "<-ptxas=sub folder/>" ]
    types 'tritcc -Isu\t'
    [[ $got == "<-Isub folder"* ]]
}

@test "bash: tritrun's levels, simulators, and files behind names" {
    : >data.npy
    types 'tritrun -O\t\t2'
    [ "$got" = "<-O2>" ]
    types 'tritrun -arch=sim:sm_86\t -o y=da\t'
    [ "$got" = "<-arch=sim:sm_86><-o><y=data.npy>" ]
    types 'tritrun -expect y=@da\t'
    [ "$got" = "<-expect><y=@data.npy>" ]
    types 'tritrun k.py @da\t'
    [ "$got" = "<k.py><@data.npy>" ]
}

# zsh_types NAME TEXT: the same in a real zsh, for tritcc or tritrun.
zsh_types()
{
    command -v zsh >/dev/null || skip "no zsh"
    mkdir -p functions
    "$BUILDDIR/$1" $([ "$1" = tritcc ] && echo --print-option-table=zsh || echo -print-option-table=zsh) >"functions/_$1"
    zsh -n "functions/_$1"
    printf 'PS1=\nfpath=($PWD/functions $fpath)\nautoload -Uz compinit\ncompinit -D -u\n%s() { printf "<%%s>" "$@" >got; }\n' "$1" >rc.zsh
    rm -f got
    { sleep 1; printf 'source ./rc.zsh\n'; sleep 2; printf '%b' "$2\n"; sleep 1; printf 'exit\n'; } |
        TERM=dumb timeout 20 script -qc 'zsh -f -i' /dev/null >/dev/null
    got=$(cat got)
}

@test "zsh: options, their values, and values after a comma" {
    zsh_types tritcc 'tritcc -emi\tcub\t'
    [ "$got" = "<-emit=cubin>" ]
    zsh_types tritcc 'tritcc -emit=ptx,cub\t'
    [ "$got" = "<-emit=ptx,cubin>" ]
    zsh_types tritcc 'tritcc -x pt\t'
    [ "$got" = "<-x><ptx>" ]
    zsh_types tritcc 'tritcc -fdiagnostics-format=js\t'
    [ "$got" = "<-fdiagnostics-format=json>" ]
    zsh_types tritrun 'tritrun -gri\t4 k.\t'
    [[ "$got" == "<-grid=4>"* ]]
}

@test "zsh: warnings, topics, lists, simulators, files behind names; nothing made up" {
    : >data.npy
    zsh_types tritcc 'tritcc -Wno-shi\t -fsanitize=bounds,un\t --help=war\t'
    [ "$got" = "<-Wno-shift-count><-fsanitize=bounds,undefined><--help=warnings>" ]
    zsh_types tritcc 'tritcc -num-warps=\t4'
    [ "$got" = "<-num-warps=4>" ]
    zsh_types tritrun 'tritrun -arch=sim:sm_86\t -expect y=@da\t k.py @da\t'
    [ "$got" = "<-arch=sim:sm_86><-expect><y=@data.npy><k.py><@data.npy>" ]
}
