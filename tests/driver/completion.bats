# Completion as it is typed: a real bash on a terminal of its own, TAB pressed.
load ../helpers

# on_terminal TEXT SHELL...: types the line into the shell, which touches "ready" before it asks for one, and waits for
# what the command leaves in "got".
on_terminal()
{
    rm -f ready got
    { await [ -e ready ] && printf '%b' "$1\n" && await [ -e got ]; printf 'exit\n'; } |
        TERM=dumb script -qc "${*:2}" /dev/null >/dev/null
}

# types TEXT: what tritcc, or tritrun, is called with after the line, each argument in <>.
types()
{
    command -v script >/dev/null || skip "no script(1) to make a terminal"
    tritcc --print-option-table=bash
    printf '%s\n' "$output" >completion.bash
    "$BUILDDIR/tritrun" -print-option-table=bash >>completion.bash
    printf 'PS1=\nPROMPT_COMMAND="touch ready"\nsource ./completion.bash\ntritcc() { printf "<%%s>" "$@" >got; }\ntritrun() { tritcc "$@"; }\n' >rc
    on_terminal "$1" bash --noprofile --rcfile rc -i
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

# zsh_types TEXT: the same in a real zsh.
zsh_types()
{
    command -v zsh >/dev/null || skip "no zsh"
    if [ ! -e .zshrc ]; then
        mkdir functions
        "$TRITCC" --print-option-table=zsh >functions/_tritcc
        "$BUILDDIR/tritrun" -print-option-table=zsh >functions/_tritrun
        zsh -n functions/_tritcc && zsh -n functions/_tritrun
        printf '%s\n' 'PS1=' 'precmd() { touch ready }' 'fpath=($PWD/functions $fpath)' 'autoload -Uz compinit' \
            'compinit -D -u' 'tritcc() { printf "<%s>" "$@" >got; }' 'tritrun() { tritcc "$@"; }' >.zshrc
    fi
    ZDOTDIR=$PWD on_terminal "$1" zsh -d -i
    got=$(cat got)
}

@test "zsh: options, their values, and values after a comma" {
    zsh_types 'tritcc -emi\tcub\t'
    [ "$got" = "<-emit=cubin>" ]
    zsh_types 'tritcc -emit=ptx,cub\t'
    [ "$got" = "<-emit=ptx,cubin>" ]
    zsh_types 'tritcc -x pt\t'
    [ "$got" = "<-x><ptx>" ]
    zsh_types 'tritcc -fdiagnostics-format=js\t'
    [ "$got" = "<-fdiagnostics-format=json>" ]
    zsh_types 'tritrun -gri\t4 k.\t'
    [[ "$got" == "<-grid=4>"* ]]
}

@test "zsh: warnings, topics, lists, simulators, files behind names; nothing made up" {
    : >data.npy
    zsh_types 'tritcc -Wno-shi\t -fsanitize=bounds,un\t --help=war\t'
    [ "$got" = "<-Wno-shift-count><-fsanitize=bounds,undefined><--help=warnings>" ]
    zsh_types 'tritcc -num-warps=\t4'
    [ "$got" = "<-num-warps=4>" ]
    zsh_types 'tritrun -arch=sim:sm_86\t -expect y=@da\t k.py @da\t'
    [ "$got" = "<-arch=sim:sm_86><-expect><y=@data.npy><k.py><@data.npy>" ]
}
