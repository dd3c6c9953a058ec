load ../helpers

# data: the page's data, as JSON.
data() {
    sed -n 's|^.*<script type="application/json" id="data">||; T; :a; /<\/script>/{s|</script>.*||;p;q}; p; n; ba' "$1"
}

@test "-emit=html is one file with every stage of every architecture" {
    need jq
    tritcc "$EXAMPLES/vadd/vadd.tri" -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024' -arch=sm_90,gfx942,x86-64-v3,spirv64 -emit=html -w
    [ "$(ls)" = vadd.html ]
    data vadd.html >data.json
    [ "$(jq -r '[.variants[].arch] | join(" ")' data.json)" = "sm_90 gfx942 x86-64-v3 spirv64" ]
    [ "$(jq -r '.variants[0].stages[:4] | [.[].name] | join(" ")' data.json)" = "ttir ttgir llir ptx" ]
    [ "$(jq -r '.variants[] | .stages[-1].name' data.json | tail -n 3 | tr '\n' ' ')" = "amdgcn asm spvasm " ]
    jq -je '.source' data.json | cmp - "$EXAMPLES/vadd/vadd.tri"
    jq -e '.variants[0] | (.stages[3].text | contains(".loc")) and (.passes | map(select(.changes)) | length > 2)' data.json
    jq -e '.variants[0] | (.drawings | map(select(.svg)) | length > 0) and (.messages | map(.rule) | contains(["-Rpass=memory"]))' data.json
    jq -e '.variants[0].resources | contains("shared")' data.json
}

@test "-emit=html with -config=all has each configuration, with what is its own" {
    need jq
    tritcc "$EXAMPLES/autotune/autotune.tri" -sig '*fp32, *fp32, i32' -arch=sm_80,x86-64-v3 -config=all -emit=html
    data autotune.html >data.json
    [ "$(jq -r '[.variants[] | "\(.arch) \(.config)"] | join(",")' data.json)" = "sm_80 0,x86-64-v3 0,sm_80 1,x86-64-v3 1,sm_80 2,x86-64-v3 2" ]
    for i in 0 1 2; do
        tritcc "$EXAMPLES/autotune/autotune.tri" -sig '*fp32, *fp32, i32' -arch=sm_80 -config=$i -emit=ttir=- -lineinfo
        jq -r ".variants[2 * $i].stages[0].text" data.json | grep -o 'tensor<[0-9]*xf32>' | sort -u | diff - <(grep -o 'tensor<[0-9]*xf32>' .out | sort -u)
    done
}

@test "-emit=html asks no network, and what a source says cannot end its data" {
    printf 'import triton\nimport triton.language as tl\n\n# </script><script>alert(1)</script> <!--\n@triton.jit\ndef k(p):\n    tl.store(p, 1)\n' >k.tri
    tritcc k.tri -sig '*i32' -emit=html
    [ "$(grep -c '</script>' k.html)" = 2 ]
    ! grep -qE '(src|href)=|@import|url\(|fetch\(|XMLHttp' k.html || false
    tritcc - -sig '*i32' -emit=html -arch=sm_80 <k.tri
    [[ $output == "<!doctype html>"* ]]
}

@test "-emit=html of a source with errors, and of what is no source" {
    printf 'import triton\nimport triton.language as tl\n@triton.jit\ndef k(p):\n    tl.stroe(p, 1)\n' >k.tri
    tritcc -1 k.tri -sig '*i32' -emit=html
    [[ $errors == *"no 'stroe'"* ]] && [ ! -e k.html ]
    sed -i s/stroe/store/ k.tri
    tritcc k.tri -sig '*i32' -emit=ttir -arch=sm_80
    tritcc -1 k.ttir -emit=html -arch=sm_80
    [[ $errors == *"'html' is made of source files"* ]]
}

# The text of a kernel of so many statements.
long_kernel() {
    printf 'import triton\nimport triton.language as tl\n@triton.jit\ndef k(p, n):\n    o = tl.arange(0, 4096)\n    x = tl.load(p + o)\n'
    awk -v count="$1" 'BEGIN { for (i = 0; i < count; i++) printf "    x = tl.exp(x) * %d.5 + x\n", i }'
    printf '    tl.store(p + o, x)\n'
}

@test "-emit=html of a long kernel stays small, and says what it leaves out" {
    need jq
    long_kernel 350 >k.tri
    tritcc k.tri -sig '*fp32:16, i32' -arch=spirv64 -emit=html
    [ "$(stat -c %s k.html)" -lt 6000000 ]
    data k.html >data.json
    jq -e '.variants[0].stages[-1] | (.name == "spvasm") and (.text | split("\n") | length <= 30001)' data.json
    jq -e '.variants[0].stages[-1].note | test("^[0-9]+ more lines; the same command with -emit=spvasm prints")' data.json
    # lines that are there know where they came from
    jq -je '.variants[0].stages[] | select(.name == "llir") | .text' data.json >cut.ll
    while read -r node; do grep -q "^$node = " cut.ll || { echo "$node"; false; }; done < <(grep -o '!dbg ![0-9]*' cut.ll | sed 's/!dbg //' | sort -u)
    jq -e '[.variants[0].passes[].changes // "" | split("\n") | length] | max < 510' data.json
    jq -e '[.variants[0].passes[].changes // "" | select(test("\n[?][0-9]+\n"))] | length > 0' data.json
}

@test "-emit=html for linalg ends with linalg, with no compiler behind it" {
    need jq
    tritcc "$EXAMPLES/vadd/vadd.tri" -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024' -arch=linalg,ascend910b -emit=html -w
    data vadd.html >data.json
    [ "$(jq -r '.variants[] | [.stages[].name] | join(" ")' data.json)" = $'ttir linalg\nttir linalg' ]
    jq -e '.variants[0].stages[-1].note | contains("-emit=llir,asm")' data.json
    tritcc "$EXAMPLES/vadd/vadd.tri" -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024' -arch=sm_80,linalg -emit=html=both.html -w
    data both.html >data.json
    [ "$(jq -r '[.variants[].stages[-1].name] | join(" ")' data.json)" = "ptx linalg" ]
}
