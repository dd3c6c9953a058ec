# Calls with two arguments that each make an instruction or an operation: C does not say which is made first, and what is
# compiled would depend on the compiler that built tritcc. Prints FILE:LINE of each.
FNR == 1 { depth = 0 }
/^[ ]*[/*]/ { next }
{
    rest = $0
    gsub(/"([^"\\]|\\.)*"|'([^'\\]|\\.)'/, "", rest)
    while (match(rest, /LLVMBuild[A-Za-z0-9]*[(]|tri_builder_(unary|binary|value|int|float)[(]|[(){},]/)) {
        token = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        if (token ~ /[({]$/) {
            for (i = 1; length(token) > 1 && i <= depth; i++)
                makes[i, argument[i]] = 1
            line[++depth] = FNR
            is_call[depth] = token ~ /[(]$/
            for (argument[depth] = 63; argument[depth] > 0; argument[depth]--)
                delete makes[depth, argument[depth]]
            delete makes[depth, 0]
        } else if (token == ",") {
            argument[depth]++
        } else if (depth > 0) {
            for (i = n = 0; i <= argument[depth]; i++)
                n += makes[depth, i]
            if (is_call[depth] && n > 1)
                print FILENAME ":" line[depth]
            depth--
        }
    }
}
