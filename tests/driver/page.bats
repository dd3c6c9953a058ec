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
    jq -e '.variants[0] | (.stages[3].text | contains(".loc")) and (.passes | map(select(.new)) | length > 2)' data.json
    jq -e '.variants[0] | (.drawings | map(select(.svg)) | length > 0) and (.messages | map(.rule) | contains(["-Rpass=memory"]))' data.json
    jq -e '.variants[0].resources | contains("shared")' data.json
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
