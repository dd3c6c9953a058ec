#!/bin/sh
# The variants of variants.list for ARCHS, one a line: object, source and options, tabs between them. STEP=N takes each
# N-th. Everything else is made from these lines: build.ninja, variants.mk, the shards of a job array.
#   plan.sh             the lines
#   plan.sh ninja       build.ninja
#   plan.sh make        variants.mk
#   plan.sh shard I N   the objects of the I-th of N shards, from 0
set -eu
cd "$(dirname "$0")"
ARCHS=${ARCHS:-compute_80 compute_86 compute_89 compute_90 compute_120a x86-64-v2 x86-64-v3}

plan() {
    grep -v '^#' variants.list | awk -F ' *[|] *' -v archs="$ARCHS" -v step="${STEP:-1}" '
    function variant(arch, type, constants, warps,    name, sig, n, values, i, on) {
        if (number++ % step)
            return
        on = arch ~ /^x86|^aarch/ ? "" : "_w" warps
        name = $1 "_" type "_" constants on "_" arch
        gsub(/[^A-Za-z0-9_]/, "_", name)
        sig = $3
        gsub(/[{]T[}]/, type, sig)
        n = split(constants, values, ",")
        for (i = 1; i <= n; i++)
            gsub("[{]" i "[}]", values[i], sig)
        printf "objects/%s.o\t%s\t-arch=%s%s -fspecialize=none -sig '\''%s = %s'\''%s\n", name, $2, arch,
            on == "" ? "" : " -num-warps=" warps, name, sig, $7 == "" ? "" : " " $7
    }
    {
        types = split($4, type, " "); groups = split($5, group, " "); count = split($6, warps, " ")
        kinds = split(archs, arch, " ")
        for (a = 1; a <= kinds; a++)
            for (t = 1; t <= types; t++)
                for (g = 1; g <= groups; g++)
                    for (w = 1; w <= (arch[a] ~ /^x86|^aarch/ ? 1 : count); w++)
                        variant(arch[a], type[t], group[g], warps[w])
    }'
}

case ${1-} in
'') plan ;;
ninja)
    echo 'tritcc = tritcc'
    echo 'rule variant'
    echo '  command = $tritcc -c $options -MD -MF $out.d -MT $out -o $out $in'
    echo '  depfile = $out.d'
    echo '  deps = gcc'
    echo '  description = TRITCC $out'
    echo 'rule merge'
    echo '  command = cc -shared -o $out @$out.list -lm'
    echo '  rspfile = $out.list'
    echo '  rspfile_content = $in_newline'
    echo '  description = LINK $out'
    plan | awk -F '\t' '{ printf "build %s: variant %s\n  options = %s\n", $1, $2, $3; all = all " $\n  " $1 }
        END { printf "build libkernels.so: merge%s\ndefault libkernels.so\n", all }'
    ;;
make)
    echo 'TRITCC = tritcc'
    plan | awk -F '\t' '{ all = all " \\\n  " $1; printf "%s: OPTIONS = %s\n%s: %s\n", $1, $3, $1, $2 }
        END { printf "OBJECTS =%s\n", all }'
    ;;
shard) plan | awk -F '\t' -v i="$2" -v n="$3" 'NR % n == i { print $1 }' ;;
*) exit 2 ;;
esac
