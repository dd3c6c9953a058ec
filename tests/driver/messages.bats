load ../helpers

@test "messages as JSON" {
    printf 'x = = 2\n' >k.tri
    tritcc -1 k.tri -fdiagnostics-format=json
    python3 - <<'P' || [ ! -x "$(command -v python3)" ]
import json
rows = json.load(open('.err'))
assert rows[0]['kind'] == 'error', rows
P
    grep -q '"k.tri"' .err
}

@test "colours are asked for" {
    printf 'x = = 2\n' >k.tri
    tritcc -1 k.tri -fdiagnostics-color=always
    [[ $errors == *$'\033['* ]]
    tritcc -1 k.tri -fdiagnostics-color=never
    [[ $errors != *$'\033['* ]]
    tritcc -1 k.tri -fdiagnostics-color=auto
    [[ $errors != *$'\033['* ]]
}

@test "-ffile-prefix-map rewrites names in messages and outputs" {
    mkdir src
    printf 'x = = 2\n' >src/k.tri
    tritcc -1 src/k.tri -ffile-prefix-map=src=/there
    [[ $errors == "/there/k.tri:1:5: error:"* ]]
    cp "$EXAMPLES/vadd/vadd.tri" src
    tritcc src/vadd.tri -sig '*fp32, *fp32, *fp32, i32, 64' -g -emit=ttir -o - -ffile-prefix-map=src=/there
    [[ $output == *'"/there/vadd.tri"'* && $output != *'"src/'* ]]
}

@test "one bad input does not keep the others from being compiled" {
    printf 'x = = 2\n' >k.tri
    tritcc -1 k.tri -emit=ast "$EXAMPLES/vadd/vadd.tri"
    [ -s vadd.ast ] && [ ! -e k.ast ]
}
