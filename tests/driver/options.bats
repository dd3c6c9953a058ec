load ../helpers

@test "--version prints the version and stops" {
    tritcc --version
    [[ $output =~ ^"tritcc 0."[0-9.]+(" "[0-9a-f]{12})?$'\n' ]]
}

@test "-dumpversion and -dumpmachine are for scripts" {
    tritcc -dumpversion
    [[ $output =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
    tritcc -dumpmachine
    [[ $output == *-*-* ]]
}

@test "-fsyntax-only checks and writes nothing" {
    cp "$EXAMPLES/vadd/vadd.tri" k.tri
    local signature='add_kernel(*fp32, *fp32, *fp32, i32, 1024)'
    tritcc -fsyntax-only -sig "$signature" -o k.o k.tri
    [ "$(echo *)" = k.tri ]
    sed 's/tl.store(.*/tl.store(output_ptr + offsets, lost)/' k.tri >bad.tri
    tritcc -1 -fsyntax-only -sig "$signature" bad.tri
    [[ $errors == *"bad.tri:"*"'lost' is not defined"* ]]
    tritcc -fsyntax-only -arch=sm_80 -sig "$signature" -emit=ttgir=k.ttgir k.tri
    [ ! -e k.ttgir ]
    tritcc -arch=sm_80 -sig "$signature" -emit=ttgir=k.ttgir k.tri
    tritcc -fsyntax-only k.ttgir
    sed -i 's/tt.store/tt.stare/' k.ttgir
    tritcc -1 -fsyntax-only k.ttgir
}

@test "what makefiles for gcc pass is understood" {
    cp "$EXAMPLES/vadd/vadd.tri" k.tri
    tritcc -Wall -Wextra -O2 -MMD -MP -c -sig 'add_kernel(*fp32, *fp32, *fp32, i32, 1024)' k.tri
    [ "$(echo k.*)" = "k.d k.o k.tri" ]
    grep -q '^k.o: k.tri' k.d
}

@test "--help shows every group and every stage" {
    tritcc --help
    [[ $output == *"-emit=KIND"* && $output == *"--help=passes"* && $output == *"ttgir"* ]]
}

@test "--help=topic shows one group" {
    tritcc --help=dependencies
    [[ $output == *"-MD"* && $output != *"-emit="* ]]
    tritcc -2 --help=nothing
    [[ $errors == *"no help on 'nothing'"* ]]
}

@test "no input is wrong usage" {
    tritcc -2
    [[ $errors == *"no input file"* ]]
}

@test "an unknown option names the nearest" {
    tritcc -2 -emti=ttir k.tri
    [[ $errors == *"unknown option '-emti=ttir'; did you mean '-emit="* ]]
    tritcc -2 --qqq k.tri
    [[ $errors == *"unknown option '--qqq'"* ]]
}

@test "a joined -o is refused, not taken for a file" {
    tritcc -2 -okernel.o k.tri
    [[ $errors == *"given as '-o kernel.o'"* ]]
}

@test "every option that takes a value rejects its absence" {
    for option in -emit -o -x -k -sig -D -I -config -arch -num-warps -num-stages -num-ctas -maxnreg --cuda-path \
        -passes -print-before -print-after -MF -MT -MQ -fdiagnostics-format -ffile-prefix-map --explain; do
        tritcc -2 "$option"
        [[ $errors == *"'$option' needs a value"* ]]
    done
}

@test "an empty value is no absence" {
    for option in -k -ftune -grid -fheuristic -fspecialize -mattr --cuda-path -ptxas -nvdisasm -ocloc -llvm-spirv \
        -bishengir --value --at --cache-dir -prefix -symbol; do
        tritcc -2 -emit=ttir "$option=" k.tri
        [[ $errors == *"'$option=' needs a value"* ]]
        tritcc -2 -emit=ttir k.tri "$option" ''
        [[ $errors == *"needs a value"* ]]
    done
    tritcc -2 -I '' k.tri
    [[ $errors == *"'-I' needs a value"* ]]
    tritcc -2 -MD -MF '' k.tri
    [[ $errors == *"'-MF' names no file"* ]]
    tritcc -2 -print-after= k.tri
    [[ $errors == *"no pass is named"* ]]
}

@test "numbers are checked" {
    tritcc -2 -num-warps=3 k.tri
    tritcc -2 -num-warps=2048 k.tri
    tritcc -2 -fdescriptor-parameters=3.5 k.tri
    tritcc -2 -num-ctas=0 k.tri
    tritcc -2 -num-stages=x k.tri
    tritcc -2 -maxnreg=1000000 k.tri
    tritcc -2 -config=-1 k.tri
    tritcc -2 -O4 k.tri
    [[ $errors == *"-O0 -O1 -O2 -O3"* ]]
}

@test "an unknown architecture names the nearest" {
    tritcc -2 -arch=sm_91a k.tri
    [[ $errors == *"did you mean 'sm_90a'"* ]]
}

@test "an unknown kind names the nearest" {
    tritcc -2 -emit=ttri k.tri
    [[ $errors == *"did you mean 'ttir'"* ]]
    tritcc -2 -x ptxx k.tri
    [[ $errors == *"did you mean 'ptx'"* ]]
}

@test "an unknown pass names the nearest" {
    tritcc -2 -passes=coalesec k.ttir
    [[ $errors == *"did you mean 'coalesce'"* ]]
    tritcc -2 -print-after=coalesec k.ttir
    [[ $errors == *"did you mean 'coalesce'"* ]]
}

@test "contradictions are wrong usage" {
    tritcc -2 -o a.o k.tri l.tri
    tritcc -2 -passes=cse -emit=ttir k.ttir
    tritcc -2 -MP k.tri
    tritcc -2 -emit=ptx,ptx k.tri
    tritcc -2 -emit=ptx= k.tri
    tritcc -2 -DX k.tri
    tritcc -2 -ffile-prefix-map=x k.tri
    tritcc -2 -fdiagnostics-color=blue k.tri
    tritcc -2 -fdiagnostics-format=xml k.tri
    tritcc -2 -ftime-report=xml k.tri
}

@test "response files are read, nested and quoted" {
    echo "-emit=ast -o '-' @inner" >outer
    printf '"%s"\n' "$EXAMPLES/vadd/vadd.tri" >inner
    tritcc @outer
    [ -n "$output" ]
    tritcc -2 @absent
    [[ $errors == *"cannot read response file 'absent'"* ]]
    echo '@self' >self
    tritcc -2 @self
    [[ $errors == *"nested too deeply"* ]]
    printf -- '-emit=ast\n -o "x y\n' >open
    tritcc -2 @open
    [[ $errors == *"open:2:5: error: this quote is never closed"* ]]
}

@test "one or two dashes are the same" {
    tritcc -version
    tritcc --emit=ast -o - "$EXAMPLES/vadd/vadd.tri"
}

@test "--list-passes, --print-targets and --print-pipeline" {
    tritcc --list-passes
    [[ $output == *coalesce* ]]
    tritcc --print-targets
    [[ $output == *sm_90a* && $output == *spirv64* ]]
    tritcc --print-pipeline -arch=sm_90a
    [[ $output == *"-passes="*coalesce* ]]
}

@test "--explain tells what a code means" {
    tritcc --explain=TRI-1001
    [[ $output == *"cannot read input"* ]]
    tritcc -2 --explain=TRI-9999
}

@test "the table makes the manual and both completions" {
    tritcc --print-option-table=man-options
    [[ $output == *".It Fl emit"* ]]
    tritcc --print-option-table=bash
    bash -n .out
    [[ $output == *"-emit="* ]]
    tritcc --print-option-table=zsh
    [[ $output == *"#compdef tritcc"* ]]
}

@test "bash completes options, stages and architectures" {
    tritcc --print-option-table=bash
    source .out
    compopt() { :; }
    COMP_LINE="tritcc -num-w" COMP_POINT=13
    _tritcc
    [[ ${COMPREPLY[*]} == *-num-warps=* ]]
    COMP_LINE="tritcc -arch=sm_9" COMP_POINT=17
    _tritcc
    [[ ${COMPREPLY[*]} == "sm_90 sm_90a" ]]
    COMP_LINE="tritcc -emit=ttir,pt" COMP_POINT=20
    _tritcc
    [[ ${COMPREPLY[*]} == *ptx ]]
}

@test "options that serve another one need it" {
    tritcc -2 -MF x.d -emit=ttir "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"-MF needs -MD, which writes the rule [TRI-1002]"* ]]
    tritcc -2 --value=x -emit=ttir "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"--value chooses what -emit=layout or -emit=svg shows, and neither is there [TRI-1002]"* ]]
    tritcc -2 --at=3 -emit=ttir "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"--at chooses what"* ]]
}

@test "unknown groups of remarks are errors" {
    tritcc -2 -Rpass-missed=memor -emit=ttir "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"'-Rpass-missed=memor' is no group of remarks; did you mean 'memory'? [TRI-1002]"* ]]
    tritcc -2 -Rpass=frobnicate -emit=ttir "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"the groups are all, memory, pipeline,"* ]]
}
