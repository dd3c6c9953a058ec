#!/bin/sh
# A page of the manual with its tables: fill.sh "COMMAND" PAGE.in. For a line @NAME@ COMMAND=man-NAME writes the table.
set -e
while IFS= read -r line; do
    case $line in
    @*@)
        name=${line#@}
        $1=man-"${name%@}"
        ;;
    *) printf '%s\n' "$line" ;;
    esac
done <"$2"
