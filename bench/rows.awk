# What a script of bench/ printed, as rows of results/*.tsv: row, unit, who, value, second value, remark.
function row(name, unit, who, a, b, remark) { printf "%s\t%s\t%s\t%s\t%s\t%s\n", name, unit, who, a, b, remark }
function after(word,    i) { for (i = 1; i <= NF; i++) if ($i == word) return i + 1; return 0 }
function words(from, to,    i, s) { for (i = from; i <= to; i++) s = s (i > from ? " " : "") $i; return s }

BEGIN { names["native"] = names["triton"] = "Triton"; names["cublas"] = "cuBLAS"; names["torch"] = "PyTorch"; names["sdpa"] = "cuDNN" }

# gpu/best.py: best NAME WHO [CONFIGURATION] burst B sustained S UNIT
$1 == "best" && after("burst") { i = after("burst"); row($2, $(i + 3), $3, $i, $(i + 2), i > 5 ? $4 : ""); next }

# gpu/run.py: speed NAME WHO burst B (again A) [sustained S] UNIT
$1 == "speed" && after("burst") {
    i = after("burst"); s = after("sustained"); who = $(i - 2)
    if (who != "sm80")
        row(words(2, i - 3), s ? $(s + 1) : $(i + 3), who in names ? names[who] : who, $i, s ? $s : "", "")
    next
}

# gpu/corpus.py: NAME KIND SIZE tritcc T ms Triton T ms RATIO [short] [DIFFER D]
$4 == "tritcc" && $7 == "Triton" && $NF != "short" {
    row($1, "ms", "tritcc", $5, "", after("DIFFER") ? "arrays differ" : ""); row($1, "ms", "Triton", $8, "", ""); next
}
$4 == "tritcc" && $7 == "Triton" { next }

# compile/run.sh and with_triton.py: WHO KERNEL -> STAGE MS ms
/^(tritcc|Triton) [a-z_]+ -> / && $NF == "ms" { row(words(2, NF - 2), "ms", $1, $(NF - 1), "", ""); next }

# compile/sweep.py -v: NUMBER-NAME | lines | source to PTX | ptxas | source to cubin | registers | spills, each tritcc Triton RATIO
$1 ~ /^[0-9]+-/ && $2 == "|" && $6 == "|" {
    sub(/^[0-9]+-/, "", $1)
    row($1 " -> ptx", "ms", "tritcc", $7, "", ""); row($1 " -> ptx", "ms", "Triton", $8, "", "")
    row($1 " -> cubin", "ms", "tritcc", $15, "", ""); row($1 " -> cubin", "ms", "Triton", $16, "", "")
    next
}

# compile/warm.sh: FILE first F median M least L ms
$2 == "first" && $6 == "least" { sub(/\.[a-z]+$/, "", $1); row($1, "ms", "tritcc", $7, "", ""); next }
$2 == "threads:" && $6 == "times" { next }

# conformance.sh: conform NAME: N of ALL UNIT
$1 == "conform" { row(substr($0, 9, index($0, ": ") - 9), $NF, "tritcc", $(NF - 3), $(NF - 1), ""); next }

# launch/run.sh
$1 == "cuLaunchKernel" { row("a launch", "ns", "tritcc", $5, "", ""); row("a launch", "ns", "cuLaunchKernel", $2, "", "")
    row("with its grid", "ns", "tritcc", $(after("grid")), "", ""); row("with its grid", "ns", "cuLaunchKernel", $2, "", ""); next }

# python/torch_compile.py: MODEL MODE threads=N WHO wall W s triton.compile C s (N kernels), ptxas P s step S ms device D ms
$3 ~ /^threads=/ && $5 == "wall" {
    who = $4 == "triton" ? "Triton" : $4; name = $1 ($2 == "default" ? "" : " " $2)
    row(name ": first step", "s", who, $6, "", "")
    row(name ": compilation of kernels", "s", who, $(after("triton.compile")), "", "")
    row(name ": the same without ptxas", "s", who, $(after("triton.compile")) - $(after("ptxas")), "", "")
    row(name ": a later step", "ms", who, $(after("step")), "", "")
    if (after("device"))
        row(name ": its kernels on the device", "ms", who, $(after("device")), "", "")
    next
}

# python/kept.py: kept MODEL N kernels WHO wall W s processor P s
$1 == "kept" { row($2 ": " $3 " kernels", "s", $5 == "triton" ? "Triton" : $5, $10, "", ""); next }

$1 == "launch" && $4 == "pause:" { row("launch after 20 ms of rest", "us", "tritcc", $7, $11, ""); next }

# cpu/torch_rows.py and cpu/bench.c: NAME OURS THEIRS [us] SPEEDx ..., once for one thread and once for two
{
    n = 0
    for (i = 3; i <= NF; i++) {
        if ($i !~ /^[0-9.]+x$/)
            continue
        k = $(i - 1) == "us" ? i - 1 : i
        if (++n == 1) { name = words(1, k - 3); is_torch = k < i }
        ours[n] = $(k - 2); theirs[n] = $(k - 1); blas[n] = ""
        for (j = i + 1; j <= NF && j <= i + 3; j++)
            if ($j == "%") blas[n] = sprintf("%.1f", ours[n] * $(j - 1) / 100)
    }
    if (n != 2 || name == "")
        next
    wrong = /WRONG/ ? "WRONG" : ""
    row(name, "us", name ~ /^tiles alone / ? "bare tiles" : "tritcc", ours[1], ours[2], wrong)
    row(name, "us", is_torch ? "PyTorch" : "clang -O3", theirs[1], theirs[2], "")
    if (blas[1] != "")
        row(name, "us", "OpenBLAS", blas[1], blas[2], "")
}
