#!/bin/sh
# A page of the manual with its tables: fill.sh "COMMAND" PAGE.in. For a line @NAME@ COMMAND=man-NAME writes the table; that
# of @coverage@ is of a list that the tests try, that of @before-after@
# of the passes' own files.
set -e
while IFS= read -r line; do
    case $line in
    @coverage@) awk -f "${0%/*}/coverage.awk" "${0%/*}/../targets/linalg/coverage.list" ;;
    @before-after@)
        # shellcheck disable=SC2046 # names of our own files
        awk -f "${0%/*}/passes.awk" $(grep -l '^const tri_pass tri_pass_' $(find "${0%/*}/../passes" "${0%/*}/../targets" -name '*.c' | LC_ALL=C sort))
        ;;
    @*@)
        name=${line#@}
        $1=man-"${name%@}"
        ;;
    *) printf '%s\n' "$line" ;;
    esac
done <"$2"
