# What LLVM's code generators cannot do is an error at a place, on every target.

load ../helpers

@test "an instruction that a target lacks is a located error of its code" {
    cat >gpu.ll <<'L'
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @k(ptr %p) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %x, ptr %p
  ret void
}
L
    cat >host.ll <<'L'
declare void @llvm.x86.avx.vzeroupper()
define void @k() {
  call void @llvm.x86.avx.vzeroupper()
  ret void
}
L
    for run in 'sm_80 ptx host.ll' 'spirv64 spirv host.ll' 'x86-64 asm gpu.ll' 'aarch64 asm gpu.ll'; do
        set -- $run
        tritcc -1 -arch="$1" -emit="$2=out" "$3"
        [[ $errors == "$3:"*": error: LLVM cannot make code for this: "*"[TRI-6005]"* ]]
        [ ! -e out ]
    done
}

@test "inputs behind the one that LLVM refuses are still compiled" {
    cat >bad.ll <<'L'
declare void @llvm.x86.avx.vzeroupper()
define void @k() {
  call void @llvm.x86.avx.vzeroupper()
  ret void
}
L
    tritcc -arch=sm_80 -sig '*fp32, *fp32, *fp32, i32, 64' -emit=llir=good.ll "$EXAMPLES/vadd/vadd.tri"
    tritcc -1 -arch=sm_80 -S bad.ll good.ll
    [ ! -e bad.ptx ] && [ -s good.ptx ]
}
