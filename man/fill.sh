#!/bin/sh
# A page of the manual with its tables: fill.sh "COMMAND" PAGE.in. For a line @NAME@ COMMAND=man-NAME writes the table; that
# of @coverage@ is of a list that the tests try.
set -e
while IFS= read -r line; do
    case $line in
    @coverage@) awk -f "${0%/*}/coverage.awk" "${0%/*}/../targets/linalg/coverage.list" ;;
    @*@)
        name=${line#@}
        $1=man-"${name%@}"
        ;;
    *) printf '%s\n' "$line" ;;
    esac
done <"$2"
