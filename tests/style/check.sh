#!/bin/bash
# The habits of the tree, checked: names of exported symbols, headers that compile alone, sizes, calls
# that belong in one place, who includes whom, and that tables, tests and manual say the same.
# Needs a finished build in $BUILDDIR. Prints a line per breach; status 1 when there is one.
set -u
cd "${SRCDIR:?}" || exit 1
: "${BUILDDIR:?}" "${CC:=gcc}"
breaches=0
breach() {
    echo "style: $*"
    breaches=$((breaches + 1))
}

c_files() { find base layout ir frontend passes targets driver run -name '*.c' | sort; }
folders='base layout ir frontend passes targets driver run'

# tri_<module>_...: the module is the file, its family of files (parser_expr.c: parser), or its folder.
check_symbols() {
    local file object base folder allowed symbol
    local -A exported=()
    while read -r object symbol; do
        exported[$object]+=" $symbol"
    done < <(c_files | sed 's,[.]c$,.o,' | (cd "$BUILDDIR/obj" && xargs nm -A -g --defined-only 2>/dev/null) |
        awk '$3 !~ /^(k[A-Z]|__odr_asan[.])/ { sub(/:[^:]*$/, "", $1); print $1, $3 }')
    while read -r file; do
        object=${file%.c}.o
        if [ ! -f "$BUILDDIR/obj/$object" ]; then
            breach "$file: not built"
            continue
        fi
        base=${file##*/}
        base=${base%.c}
        folder=${file%/*}
        allowed="tri_($base|${base%%_*}|${folder##*/}|pass|passes|target|targets|builtins?"
        case $file in
        base/file.c) allowed+='|path' ;;
        base/arena.c) allowed+='|mem' ;;
        base/str.c) allowed+='|buf' ;;
        base/diag.c) allowed+='|source' ;;
        ir/builder.c) allowed+='|attr' ;;
        frontend/builtins/builtins.c) allowed+='|arg' ;;
        frontend/scope*.c) allowed+='|module' ;;
        frontend/kernel/cast.c) allowed+='|semantic' ;;
        frontend/kernel/function.c) allowed+='|call' ;;
        targets/object/*.c) allowed+='|writer' ;;
        targets/cpu/sanitize/*.c) allowed+='|cpu' ;;
        frontend/builtins/memory.c) allowed+='|block' ;;
        esac
        allowed+=')(_|$)'
        for symbol in ${exported[$object]-}; do
            [[ $symbol =~ ^$allowed || $symbol == main || $file:$symbol == driver/library.c:tritcc_* || $file:$symbol == base/checked.c:__wrap_* ]] || breach "$file: exports '$symbol'"
        done
    done < <(c_files)
}

# What a file exports another one uses, be it a test: else it is static. runtime/ is called by code that was compiled;
# layout/linear.c is an algebra, which has each operation for both sides.
check_exports() {
    local symbol object
    [ -d "$BUILDDIR/obj/tests/unit" ] && [ -d "$BUILDDIR/obj/tests/matrix" ] || return 0
    while read -r symbol object; do
        breach "$object: nobody else uses '$symbol'"
    done < <(cd "$BUILDDIR" && find obj -name '*.o' -not -path 'obj/fuzz/*' -exec nm -A -g {} + 2>/dev/null |
        awk '{ split($0, part, ":") } $(NF - 1) == "U" { used[$NF] = 1 }
            $(NF - 1) == "T" && $NF ~ /^tri_/ && part[1] !~ /layout\/linear[.]o/ && part[1] ~ /^obj\/(base|layout|ir|frontend|passes|targets|driver|run)\// { made[$NF] = part[1] }
            END { for (s in made) if (!(s in used)) print s, made[s] }' | while read -r symbol object; do
            object=${object#obj/}
            [ -f "$SRCDIR/${object%.o}.c" ] && echo "$symbol $object"
        done | sort)
}

# A backtrace tells where it is: names of static functions that stand in more than three files are few.
check_names() {
    local count
    count=$(c_files | ctags --sort=no -L - -f - --kinds-C=f 2>/dev/null | awk -F'\t' '!seen[$1, $2]++ { files[$1]++ }
        END { for (name in files) if (files[name] > 3) all += files[name]; print all + 0 }')
    [ "$count" -le 250 ] || breach "$count functions have a name that stands in more than three files, the limit is 250"
}

check_headers() {
    local header
    while read -r header; do
        echo "#include \"$header\"" | $CC -std=c17 -D_GNU_SOURCE -fsyntax-only -Wall -Wextra -Werror -I. \
            -I"$BUILDDIR/gen" -isystem "$(sed -n 's/^LLVM_PREFIX = //p' "$BUILDDIR/Makefile")/include" -x c - 2>/dev/null ||
            breach "$header: does not compile alone"
    done < <(git ls-files -- $(printf '%s/*.h ' $folders) include | while read -r header; do
        grep -q '^#include "mlir/\|^namespace\|^#include "llvm/[A-Z]' "$header" || echo "$header"
    done)
}

# Lines of C and of the tables that are C, in columns of UTF-8 text.
check_columns() {
    local hit
    while read -r hit; do
        breach "$hit: longer than 120 columns"
    done < <(git ls-files -- '*.c' '*.h' '*.cpp' '*.def' '*.td' '*.inc' | xargs grep -nE '^.{121,}' | cut -d: -f1,2)
}

is_allowed() { grep -qE "^$1 " tests/style/long.txt; }

check_sizes() {
    local file lines name
    while read -r lines file; do
        [ "$file" = total ] || [ "$lines" -le 800 ] || is_allowed "$file" || breach "$file: $lines lines, the limit is 800"
    done < <(git ls-files -- '*.c' '*.h' '*.cpp' '*.sh' '*.bash' | xargs wc -l)
    while IFS=$'\t' read -r file name lines; do
        is_allowed "$file:$name" || breach "$file: '$name' has $lines lines, the limit is 80"
    done < <(git ls-files -- '*.c' '*.cpp' | ctags -L - -f - --fields=+ne --kinds-C=f --kinds-C++=f 2>/dev/null |
        awk -F'\t' '{ for (i = 4; i <= NF; i++) { if ($i ~ /^line:/) begin = substr($i, 6); if ($i ~ /^end:/) end = substr($i, 5) }
            if (end - begin + 1 > 80) print $2 "\t" $1 "\t" end - begin + 1; end = begin = 0 }')
}

# banned PATTERN FILE...: the call stands in these files only.
banned() {
    local pattern=$1 hit
    shift
    while read -r hit; do
        [[ " $* " == *" ${hit%%:*} "* ]] || breach "$hit (only in: $*)"
    done < <(git ls-files -- $(printf '%s/*.c ' $folders) | xargs grep -nE "(^|[^A-Za-z0-9_.\"])$pattern *\(" | grep -v '^[^:]*:[0-9]*: *\*')
}

# The programs are users of the library as others are.
check_main() {
    local hit
    while read -r hit; do
        breach "driver/main.c: '$hit' is not of the public header"
    done < <(grep '^#include "' driver/main.c | grep -v '"include/tritcc/tritcc.h"')
}

check_calls() {
    check_main
    banned '(exit|_exit|abort|quick_exit)' base/fatal.c driver/main.c run/fence.c
    banned '(getenv|secure_getenv)' driver/environment.c
    banned 'mlirExternalPassSignalFailure' passes/passes.c
    banned '(strtok|gets|sprintf|strcat|alloca|system|popen)' none
}

# may FOLDER FOLDER...: the first includes only from itself and from these.
may() {
    local from=$1 hit
    shift
    while read -r hit; do
        breach "${hit%%:*}: includes ${hit##*\"}"
    done < <(grep -rnoE '^#include "[a-z]+/' "$from" --include='*.[ch]' | sed 's/#include "/"/' |
        grep -vE "\"($(echo "$from" "$@" llvm mlir | tr ' ' '|'))/$")
}

check_includes() {
    local hit
    may base
    may layout base
    may ir base layout
    may frontend base layout ir
    may passes base layout ir
    may targets base layout ir runtime include tritcc
    grep -rlE '^#include "(driver|run)/' base layout ir frontend passes targets runtime | while read -r hit; do
        echo "$hit"
    done | grep . && breach "the files above include driver/ or run/"
    while read -r hit; do
        breach "$hit (gen/ is where the build is, and in its search path)"
    done < <(grep -rn '^#include "gen/' $folders --include='*.[ch]' --include='*.cpp')
}

# What a machine can do stands in ir/machines.def. Elsewhere no number is compared and no name of a machine, target or
# family decides, but where the language asks for them (target.c).
check_facts() {
    local hit
    while read -r hit; do
        breach "$hit (a fact of ir/machines.def?)"
    done < <(git ls-files -- layout ir passes frontend targets/gpu | grep -E '[.](c|h|cpp)$' |
        grep -vE '^ir/(machines|llvm)[.]|/target[.]c$' |
        xargs grep -nE '"(cuda|hip|xpu|opencl|intel):|"(nvptx|amdgcn|spirv|spirv64|cuda|hip|xpu)"|"(sm_|gfx)[0-9]|(capability|arch|number) *([<>]=?|==) *[0-9]{2,3}([^0-9]|$)' |
        grep -vE '^[^:]*:[0-9]+: *(/?[*])')
}

check_tables() {
    local name option row
    while read -r name; do
        grep -rqE "[-= '\",]$name([^a-z0-9-]|$)" tests/passes 2>/dev/null || breach "pass '$name' has no test in tests/passes"
    done < <("$BUILDDIR/tritcc" --list-passes | awk '/^[a-z]/ {print $1}')
    while read -r row; do
        name=$(sed -E 's/^OPT\("([^"]*)".*/\1/' <<<"$row")
        [[ $row == *', NULL, ""'* && $row == *print-option-table* ]] && continue
        grep -rqE --include='*.bats' --include='*.mlir' --include='*.tri' "(^|[^A-Za-z0-9-])--?$name([^a-z-]|$|[a-z0-9=])" \
            tests || breach "option '-$name' is in no test"
    done < <(grep -E '^OPT\(' driver/options.def)
    while read -r name; do
        grep -q "^def $name(" frontend/prelude/*.tri || breach "library function '$name' is not in frontend/prelude"
    done < <(sed -nE 's/^PRELUDE\(TL "([A-Za-z0-9_]*\.)*([A-Za-z0-9_]*)".*/\2/p' frontend/builtins/builtins.def)
}

# A report's name is a row of warning.def.
check_warnings() {
    local name
    while read -r name; do
        grep -q "^X(\"$name\"," base/warning.def || breach "warning '$name' is not in base/warning.def"
    done < <(grep -rhoE '_warning\([^;"]*"[a-z-]+",' --include='*.c' $folders | sed -E 's/.*"([a-z-]+)",/\1/' | sort -u)
}

check_scripts() {
    sh -n configure || breach "configure: syntax"
    command -v shellcheck >/dev/null || return 0
    shellcheck -s bash -e SC2086,SC2046,SC2034,SC2154 tests/run.sh tests/helpers.bash tests/style/check.sh .ci/run ||
        breach "shellcheck"
    shellcheck -s bash "$BUILDDIR/completion/tritcc.bash" || breach "completion/tritcc.bash: shellcheck"
}

check_order() {
    local place
    while read -r place; do
        breach "$place: two arguments of a call make instructions; name one of them first"
    done < <(c_files | grep -E '^(targets|passes|ir)/' | xargs awk -f tests/style/order.awk)
}

# What is tracked is source: names that need no quotes, no file of a run or a build.
check_tracked() {
    local path
    [ -e .git ] && command -v git >/dev/null || return 0
    while read -r path; do
        [[ $path =~ ^[A-Za-z0-9._/-]+$ ]] || breach "$path: a name with other characters than letters, digits, '.', '_' and '-'"
        [ ! -f "$path" ] || [ "$(stat -c %s "$path")" -le 1000000 ] || breach "$path: more than 1,000,000 bytes"
    done < <(git -c core.quotePath=false ls-files)
}

check_manual() {
    local name text
    command -v mandoc >/dev/null || return 0
    text=$(mandoc -Tascii "$BUILDDIR/man/tritcc.1" | col -b)
    for name in $("$BUILDDIR/tritcc" --help | sed -nE 's/^  (--?[A-Za-z#][^ =[]*).*/\1/p'); do
        [[ $text == *"${name%%=*}"* ]] || breach "option '$name' is not in the manual"
    done
    for page in "$BUILDDIR"/man/*.[17] man/*.3; do
        # (whether the pages of others are installed is no matter)
        ! mandoc -Tlint -W style "$page" 2>&1 | grep -v 'STYLE: referenced manual not found\|outdated mandoc.db' ||
            breach "$(basename "$page") does not lint"
    done
}

check_symbols
check_exports
check_names
check_headers
check_columns
check_sizes
check_calls
check_includes
check_facts
check_tables
check_warnings
check_scripts
check_order
check_tracked
check_manual
[ "$breaches" -eq 0 ] || {
    echo "style: $breaches breaches"
    exit 1
}
echo "style: ok"
