load ../helpers

vadd=("$EXAMPLES/vadd/vadd.tri" -sig '*fp32:16, *fp32:16, *fp32:16, i32' -DBLOCK_SIZE=1024 -arch=sm_80)

# toolkit BODY: a CUDA toolkit whose ptxas is this shell script.
toolkit() {
    mkdir -p cuda/bin
    printf '#!/bin/sh\n%s\n' "$1" >cuda/bin/ptxas
    chmod +x cuda/bin/ptxas
}

@test "a missing ptxas is told with the option and the package that help" {
    mkdir cuda
    echo old >vadd.cubin
    tritcc -1 "${vadd[@]}" -emit=cubin --cuda-path=cuda
    [[ $errors == *"ptxas"*"--cuda-path"* ]]
    [ ! -e vadd.cubin ]
    tritcc -2 "${vadd[@]}" -emit=cubin --cuda-path=absent
    [[ $errors == *"'--cuda-path=absent' is not a folder"* ]]
}

@test "CUDA_HOME and PATH are searched" {
    toolkit 'for last; do :; done; echo made >"$last"'
    CUDA_HOME=$PWD/cuda tritcc "${vadd[@]}" -emit=cubin
    [ "$(cat vadd.cubin)" = made ]
    rm vadd.cubin
    unset CUDA_HOME
    PATH=$PWD/cuda/bin:$PATH tritcc "${vadd[@]}" -emit=cubin
    [ "$(cat vadd.cubin)" = made ]
}

@test "a tool that fails is named with its status and command" {
    toolkit 'echo "ptxas fatal: no" >&2; exit 3'
    tritcc -1 "${vadd[@]}" -emit=cubin --cuda-path=cuda
    [[ $errors == *"'ptxas' ended with status 3: ptxas fatal: no"* ]]
    [[ $errors == *"cuda/bin/ptxas"*"-arch=sm_80"* ]]
    [ ! -e vadd.cubin ]
}

@test "a tool killed by a signal is named with the signal" {
    toolkit 'kill -9 $$'
    tritcc -1 "${vadd[@]}" -emit=cubin --cuda-path=cuda
    [[ $errors == *"'ptxas' was killed by signal 9 (Killed)"* ]]
    [ ! -e vadd.cubin ]
}

@test "temporary files go away when a tool fails and when the compiler is ended" {
    toolkit "for f; do [ -e \"\$f\" ] && echo \"\$f\" >>'$PWD/seen'; done; exit 1"
    tritcc -1 "${vadd[@]}" -emit=cubin --cuda-path=cuda
    grep -q '\.ptx$' seen
    while read -r file; do [ ! -e "$file" ]; done <seen
    for signal in INT TERM HUP; do
        rm -f seen
        toolkit "for f; do [ -e \"\$f\" ] && echo \"\$f\" >>'$PWD/seen'; done; exec sleep 1000"
        # A shell's background jobs ignore INT; env gives the compiler the default back.
        env --default-signal "$TRITCC" "${vadd[@]}" -emit=cubin --cuda-path=cuda &
        pid=$!
        await [ -s seen ]
        kill -"$signal" "$pid"
        ended=0
        wait "$pid" || ended=$?
        [ "$ended" -eq $((128 + $(kill -l "$signal"))) ] # by the signal, not by an error of the child that it ended
        while read -r file; do [ ! -e "$file" ]; done <seen
        [ ! -e vadd.cubin ]
    done
}

@test "-MD names exactly the files that are read" {
    need strace
    cp "$EXAMPLES/softmax/softmax.tri" k.tri
    args=(-sig '*fp32:16, *fp32:16, i32, i32, i32, i32' -k softmax_kernel -DBLOCK_SIZE=128 -Dnum_stages=2 -arch=sm_80)
    strace -f -e trace=openat,open -o trace "$TRITCC" k.tri "${args[@]}" -emit=ptx -MD
    # What the loader and libc open is not input.
    grep -E 'O_RDONLY' trace | grep -v ENOENT | sed -nE 's/.*"([^"]+)".*/\1/p' |
        grep -vE '^(/etc/|/proc/|/sys/|/dev/|/lib|/usr/lib)' | sort -u >opened
    sed -e 's/^[^:]*://' -e 's/\\$//' k.d | tr -s ' ' '\n' | grep . | sort -u >listed
    diff opened listed
    grep -q '^k.ptx: k.tri' k.d
}

@test "-MF, -MT, -MQ and -MP" {
    cp "$EXAMPLES/vadd/vadd.tri" 'a b.tri'
    tritcc 'a b.tri' "${vadd[@]:1}" -emit=ptx=k.ptx -MD -MF x.d -MT 'all' -MQ 'c$d'
    [ "$(cat x.d)" = 'all c$$d: a\ b.tri' ]
    tritcc 'a b.tri' "${vadd[@]:1}" -emit=ptx=k.ptx -MD -MP
    grep -q '^k.ptx: a' 'a b.d'
}

# fake SCRIPT: a toolkit whose ptxas is this.
fake() {
    mkdir -p toolkit/bin
    printf '#!/bin/sh\n%s\n' "$1" >toolkit/bin/ptxas
    chmod +x toolkit/bin/ptxas
}
assemble=(-arch=sm_80 -sig '*fp32, *fp32, *fp32, i32, 1024' --cuda-path=toolkit -emit=cubin=k.cubin "$EXAMPLES/vadd/vadd.tri")

@test "an assembler that ends well without a file, or with an empty one, is an error" {
    fake 'exit 0'
    tritcc -1 "${assemble[@]}"
    [[ $errors == *"'ptxas' left no output"*"[TRI-7001]"*"the command was: toolkit/bin/ptxas"* ]]
    fake 'for last; do :; done; : >"$last"'
    tritcc -1 "${assemble[@]}"
    [[ $errors == *"'ptxas' left no output"*empty* ]]
    [ ! -e k.cubin ]
}

@test "temporaries lie in TMPDIR and are gone afterwards" {
    mkdir mine
    fake 'for last; do :; done; echo "$last" >seen; echo x >"$last"'
    TMPDIR=$PWD/mine tritcc "${assemble[@]}"
    [[ $(cat seen) == $PWD/mine/tritcc-*/kernel.cubin ]]
    [ -z "$(ls mine)" ]
    TMPDIR=$PWD/nowhere tritcc -1 "${assemble[@]}"
    [[ $errors == *"cannot make a temporary folder"* ]]
}

@test "signals end the assembler too, and leave no temporary" {
    mkdir mine
    fake 'echo $$ >pid; exec sleep 1000'
    for name in INT TERM HUP QUIT PIPE XCPU; do
        rm -f pid
        # not as a background job of the shell, which would ignore INT and QUIT
        TMPDIR=$PWD/mine perl -e '$SIG{INT} = $SIG{QUIT} = "DEFAULT"; exec @ARGV' "$TRITCC" "${assemble[@]}" &
        local compiler=$!
        await [ -s pid ]
        kill -$name "$compiler"
        ! wait "$compiler" || false
        await has_ended "$(cat pid)"
        [ -z "$(ls mine)" ]
    done
}

@test "signals end an assembler that has just been started" {
    need strace
    mkdir mine
    fake 'echo $$ >pid; echo $PPID >parent; exec sleep 1000'
    # the compiler learns half of a second later than its child that there is one
    TMPDIR=$PWD/mine strace -f -qq -o /dev/null -e trace=clone,clone3,vfork -e inject=clone,clone3,vfork:delay_exit=500000 \
        "$TRITCC" "${assemble[@]}" &
    local tracer=$!
    await [ -s parent ]
    kill -TERM "$(cat parent)"
    await has_ended "$(cat pid)"
    ! wait "$tracer" || false # which waits for all
    [ -z "$(ls mine)" ]
}

@test "an output that grows too large is an error, and leaves nothing" {
    (
        ulimit -f 1
        status=0
        "$TRITCC" -arch=sm_80 -sig '*fp32, *fp32, *fp32, i32, 4096' -emit=ptx=k.ptx "$EXAMPLES/vadd/vadd.tri" 2>message || status=$?
        echo $status >status
    )
    [ "$(cat status)" -eq 1 ]
    grep -q "cannot write 'k.ptx': File too large" message
    [ "$(ls -A | tr '\n' ' ')" = "message status " ]
}

@test "an output named by a symbolic link is written where it leads" {
    mkdir far
    echo old >far/there.ptx
    ln -s far/there.ptx link.ptx
    ln -s far/new.ptx fresh.ptx
    tritcc -arch=sm_80 -sig '*fp32, *fp32, *fp32, i32, 1024' -emit=ptx=link.ptx "$EXAMPLES/vadd/vadd.tri"
    tritcc -arch=sm_80 -sig '*fp32, *fp32, *fp32, i32, 1024' -emit=ptx=fresh.ptx "$EXAMPLES/vadd/vadd.tri"
    [ -L link.ptx ] && [ -L fresh.ptx ]
    grep -q entry far/there.ptx
    cmp far/there.ptx far/new.ptx
    tritcc -arch=sm_80 -sig '*fp32, *fp32, *fp32, i32, 1024' -emit=ptx=/dev/stdout "$EXAMPLES/vadd/vadd.tri"
    grep -q entry .out
}

@test "-ptxas names the assembler" {
    fake 'for last; do :; done; echo mine >"$last"'
    mv toolkit/bin/ptxas other-assembler
    tritcc "${assemble[@]:0:3}" -ptxas=./other-assembler -emit=cubin=k.cubin "$EXAMPLES/vadd/vadd.tri"
    [ "$(cat k.cubin)" = mine ]
    tritcc -1 "${assemble[@]:0:3}" -ptxas=./nothing -emit=cubin=k.cubin "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"'-ptxas=./nothing' is no program"*"[TRI-7001]"* ]]
}

@test "-v prints commands that a shell takes, and leaves what they read" {
    fake 'for last; do :; done; for word; do [ "$word" != -o ] || break; file=$word; done; cp "$file" "$last"'
    mkdir "a folder"
    TMPDIR="$PWD/a folder" tritcc -v -lineinfo "${assemble[@]}"
    grep "ptxas.*-o " .err >command
    [[ $(<command) == toolkit/bin/ptxas\ -arch=sm_80\ -O3\ -v\ -lineinfo\ \'*/kernel.ptx\'\ -o\ \'*/kernel.cubin\' ]]
    rm "a folder"/*/kernel.cubin
    sh -e command
    cmp "a folder"/*/kernel.cubin k.cubin
    TMPDIR="$PWD/a folder" tritcc -lineinfo "${assemble[@]}"
    [ "$(ls "a folder" | wc -l)" -eq 1 ]
}

@test "-### prints the assembler's command" {
    fake 'for last; do :; done; echo mine >"$last"'
    cp "$EXAMPLES/vadd/vadd.tri" 'v add.tri'
    tritcc -### -g "${assemble[@]:0:4}" -emit=cubin='my k.cubin' 'v add.tri'
    grep -o 'toolkit/bin/ptxas.*' .err >command
    [ "$(<command)" = "toolkit/bin/ptxas -arch=sm_80 -O0 -v -g 'v add.ptx' -o 'my k.cubin'" ]
    sh -e command
    [ "$(<'my k.cubin')" = mine ]
}

@test "-### prints the plan and the tools of every architecture" {
    fake ''
    printf '#!/bin/sh\nexit 1\n' >ocloc
    chmod +x ocloc
    cp "$EXAMPLES/vadd/vadd.tri" .
    tritcc -### -cuda-path=toolkit -ocloc=./ocloc -arch=sm_80,sm_90a,pvc,gfx942,x86-64 -c vadd.tri -o all.o
    for arch in sm_80 sm_90a intel-pvc gfx942 x86-64; do
        grep -q "^vadd.tri: tri, for $arch" .err
    done
    grep -q -- 'toolkit/bin/ptxas -arch=sm_80 .* vadd.ptx -o vadd.cubin$' .err
    grep -q -- 'toolkit/bin/ptxas -arch=sm_90a .* vadd.ptx -o vadd.cubin$' .err
    grep -q -- '^    ./ocloc compile .* -file vadd.spv -device pvc -output vadd.zebin ' .err
    [ "$(grep -c ' object .*-> all.o' .err)" -eq 1 ]
    [ ! -e all.o ]
}

@test "messages show no control characters of file names" {
    local name=$'a\x1b[31mb.tri'
    echo 'def (' >"$name"
    tritcc -1 -arch=sm_80 -emit=ttir "$name"
    [[ $errors == 'a?[31mb.tri:1:'* ]]
    [[ $errors != *$'\x1b'* ]]
}

# disassembler NAME BODY: a program of the toolkit beside a ptxas that writes an empty machine.
disassembler() {
    toolkit 'for last; do :; done; echo made >"$last"'
    printf '#!/bin/sh\n%s\n' "$2" >"cuda/bin/$1"
    chmod +x "cuda/bin/$1"
}

@test "-emit=sass is what nvdisasm prints, with the source's lines" {
    disassembler nvdisasm 'echo "warning" >&2; echo "add:"; printf "\t//## File \"%s\", line 34\n\tIADD\n" '"'$EXAMPLES/vadd/vadd.tri'"'; echo "// $1 $2"; cat "$3"'
    tritcc "${vadd[@]}" -emit=sass --cuda-path=cuda
    [ -z "$errors" ]
    grep -qx 'add:' vadd.sass && grep -qx '// -c -g' vadd.sass && grep -qx made vadd.sass
    [ "$(grep -A1 '## File' vadd.sass | tail -n 1)" = "$(printf '\t//   '; sed -n '34s/^ *//p' "$EXAMPLES/vadd/vadd.tri")" ]
    mv cuda/bin/nvdisasm own
    tritcc "${vadd[@]}" -emit=sass=- --cuda-path=cuda -nvdisasm="$PWD/own"
    # nvdisasm puts a folder before a name that has none
    (cp "$EXAMPLES/vadd/vadd.tri" k.tri && sed "s|$EXAMPLES/vadd/vadd.tri|./k.tri|" own >dotted && chmod +x dotted)
    tritcc "${vadd[@]/#*vadd.tri/k.tri}" -emit=sass=dotted.sass --cuda-path=cuda -nvdisasm="$PWD/dotted"
    [ "$(grep -A1 '## File' dotted.sass | tail -n 1)" = "$(printf '\t//   '; sed -n '34s/^ *//p' k.tri)" ]
    tritcc "${vadd[@]}" -emit=sass=- --cuda-path=cuda -nvdisasm="$PWD/own"
    [[ $output == "add:"* ]]
    tritcc "${vadd[@]}" -emit=cubin=k.cubin --cuda-path=cuda
    tritcc k.cubin -emit=sass=- --cuda-path=cuda -nvdisasm="$PWD/own"
    [[ $output == "add:"* ]]
}

@test "-emit=sass without nvdisasm: cuobjdump, or a message that helps" {
    disassembler cuobjdump 'echo "$1"; cat "$2"'
    tritcc "${vadd[@]}" -emit=sass=- --cuda-path=cuda
    [ "$output" = $'-sass\nmade' ]
    rm cuda/bin/cuobjdump
    tritcc -1 "${vadd[@]}" -emit=sass --cuda-path=cuda
    [[ $errors == *"cannot find 'nvdisasm' or 'cuobjdump'"*"--cuda-path=DIR"*"[TRI-7001]"* ]] && [ ! -e vadd.sass ]
    tritcc -1 "${vadd[@]}" -emit=sass --cuda-path=cuda -nvdisasm=absent
    [[ $errors == *"'-nvdisasm=absent' is no program"* ]]
    disassembler nvdisasm 'echo "no such machine" >&2; exit 3'
    tritcc -1 "${vadd[@]}" -emit=sass --cuda-path=cuda
    [[ $errors == *"'nvdisasm' ended with status 3: no such machine"*"cuda/bin/nvdisasm -c -g "* ]]
    tritcc -2 "$EXAMPLES/vadd/vadd.tri" -sig '*fp32, *fp32, *fp32, i32, 64' -arch=x86-64-v3 -emit=sass
}

@test "-tool-timeout ends what takes longer; pages say it and are made without" {
    disassembler nvdisasm 'exec sleep 1000'
    tritcc -1 "${vadd[@]}" -emit=sass --cuda-path=cuda -tool-timeout=1
    [[ $errors == *"'nvdisasm' was ended after 1 second, the time that -tool-timeout gives it"*"[TRI-7001]"* ]]
    tritcc "${vadd[@]}" -emit=html=1.html --cuda-path=cuda -tool-timeout=1
    grep -qF '{"name": "sass", "text": "", "note": "'"'nvdisasm' was ended after 1 second" 1.html
    toolkit 'exec sleep 1000'
    printf '#!/bin/sh\nexit 1\n' >cuda/bin/nvdisasm && chmod +x cuda/bin/nvdisasm
    tritcc -1 "${vadd[@]}" -emit=cubin --cuda-path=cuda -tool-timeout=1
    [[ $errors == *"'ptxas' was ended after 1 second, the time that -tool-timeout gives it"*"the command was: "* ]]
    [ ! -e vadd.cubin ]
    tritcc "${vadd[@]}" -emit=html=2.html --cuda-path=cuda -tool-timeout=1
    grep -qF '{"name": "sass", "text": "", "note": "'"'ptxas' was ended after 1 second" 2.html
    grep -q '"resources": "add_kernel, sm_80:.*ended after 1 second' 2.html
    rm cuda/bin/nvdisasm
    tritcc "${vadd[@]}" -emit=html=3.html --cuda-path=cuda -tool-timeout=1 -nvdisasm=none
    ! grep -q '"name": "sass"' 3.html || false
    grep -q '"resources": "add_kernel, sm_80:.*ended after 1 second' 3.html
    tritcc -2 "${vadd[@]}" -emit=cubin -tool-timeout=0
}
