load ../helpers

@test "an output is named after its input, in the current folder" {
    tritcc -emit=ast "$EXAMPLES/vadd/vadd.tri"
    [ -s vadd.ast ]
}

@test "several inputs give several outputs" {
    tritcc -emit=ast "$EXAMPLES/vadd/vadd.tri" "$EXAMPLES/softmax/softmax.tri"
    [ -s vadd.ast ] && [ -s softmax.ast ]
}

@test "an unwritable output" {
    tritcc -1 -emit=ast -o /nonexistent/k.ast "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"cannot write '/nonexistent/k.ast': No such file or directory"* ]]
    mkdir k.ast
    tritcc -1 -emit=ast -o k.ast "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"Is a directory"* ]]
}

@test "a full disk" {
    need file /dev/full
    tritcc -1 -emit=ast -o /dev/full "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"cannot write '/dev/full': No space left on device"* ]]
    run "$TRITCC" -emit=ast -o - "$EXAMPLES/vadd/vadd.tri" >/dev/full
    "$TRITCC" -emit=ast -o - "$EXAMPLES/vadd/vadd.tri" 2>.err >/dev/full && return 1
    grep "cannot write standard output: No space left on device" .err
    "$TRITCC" --help 2>.err >/dev/full && return 1
    grep "cannot write standard output" .err
    # what make would be told is as much an output as the object, and a message that is lost an error
    tritcc -1 -emit=ast -MD -MF /dev/full "$EXAMPLES/vadd/vadd.tri" -o vadd.ast
    [ ! -e vadd.ast ]
    ! "$TRITCC" -ftime-report=json -emit=ast -o k.ast "$EXAMPLES/vadd/vadd.tri" 2>/dev/full || return 1
    "$TRITCC" -ftime-report=json -emit=ast -o k.ast "$EXAMPLES/vadd/vadd.tri" 2>&-
}

@test "an output never replaces the input" {
    cp "$EXAMPLES/vadd/vadd.tri" k.tri
    cp k.tri before
    tritcc -2 -emit=ast -o k.tri k.tri
    [[ $errors == *"would overwrite the input"* ]]
    cmp k.tri before
    ln k.tri l.ast
    tritcc -2 -emit=ast -o l.ast k.tri
    [[ $errors == *"would overwrite the input"* ]]
}

@test "after a failure no stale output remains" {
    echo 'x = (' >k.tri
    echo old >k.ast
    tritcc -1 -emit=ast k.tri
    [ ! -e k.ast ]
    [ "$(ls)" = k.tri ]
}

@test "two stages in one file" {
    tritcc -2 -emit=ast=x,ttir=x "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"'ast' and 'ttir' are both to be written to 'x'"* ]]
}

@test "-### prints the plan and writes nothing" {
    tritcc -### -emit=ptx -arch=sm_80 "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"ttgir"*"-> vadd.ptx"* ]]
    [ -z "$(ls)" ]
}

@test "-v tells each phase" {
    tritcc -v -emit=ast -o - "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"tritcc: parse:"* ]]
}

@test "-ftime-report in text and JSON" {
    tritcc -ftime-report -emit=ast -o - "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *parse*total* ]]
    tritcc -ftime-report=json -emit=ast -o - "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *'"stage": "parse"'* ]]
}
