# The manual: each page is filled from the tables, and its HTML form has no link that leads nowhere.
load ../helpers

@test "no page keeps a mark, and each is not small" {
    for page in "$BUILDDIR"/man/*.[17]; do
        ! grep -nE '^@.*@$' "$page" || { echo "$page"; false; }
        [ "$(wc -c <"$page")" -gt 2000 ]
        ! grep -nE '(^|[^\\])\((dq|aq|en|em|bu)' "$page" || { echo "$page"; false; } # an escape without its backslash
    done
}

@test "no quotation begins inside another" {
    ! grep -nE '^\..* ?Ql .* Ql ' "$SRCDIR"/man/*.in || false # Ql ends with its line: the next one is inside it
}

@test "pages that are named exist" {
    cat "$BUILDDIR"/man/*.[17] | sed -nE 's/^\.Xr ((tritcc|tritrun|libtritcc)[^ ]*) ([1-9]).*/\1.\3/p' | sort -u >names
    [ "$(wc -l <names)" -ge 7 ]
    while read -r name; do
        [ -s "$BUILDDIR/man/$name" ] || [ -s "$SRCDIR/man/$name" ] || { echo "$name"; false; }
    done <names
}

@test "lines of text are folded, and say nothing else than before" {
    printf '%s\n' ".Sh X" "$(printf 'some words (of which f() is one) %.0s' 1 2 3 4 5) .x" '.Bd -literal' "$(printf 'f() %.0s' {1..40})" '.Ed' >in
    awk -f "$SRCDIR/man/fold.awk" in >out
    [ "$(sed '/^\.Bd/,$d' out | awk 'length > 80' | wc -l)" = 0 ]
    diff <(tr -s '\n ' '\n\n' <in) <(sed 's/\\&//g' out | tr -s '\n ' '\n\n')
    [ "$(sed -n '/^\.Bd/,$p' in)" = "$(sed -n '/^\.Bd/,$p' out)" ]
    ! grep -q '^\.x' out || false
}

@test "the web pages link to one another" {
    command -v mandoc >/dev/null || skip "no mandoc"
    sh "$SRCDIR/man/html.sh" html "$BUILDDIR"/man/*.[17] "$SRCDIR/man/libtritcc.3"
    grep -q 'tritcc-errors.7.html' html/index.html
    grep -ohE 'href="[^"#:]+' html/*.html | sed 's/href="//' | sort -u | grep -E '^(tritcc|tritrun|libtritcc|index|manual)' >links
    while read -r link; do
        [ -s "html/$link" ] || { echo "$link"; false; }
    done <links
    [ "$(grep -c '<dt>' html/index.html)" -ge 9 ]
}

@test "tables that do not exist are refused" {
    tritcc -2 --print-option-table=man-nothing
    grep -q "unknown format 'man-nothing'" .err
}

@test "each pass that has a file is shown before and after" {
    page=$BUILDDIR/man/tritcc-passes.7 count=0
    while read -r file; do
        [ "${file##*/}" != upstream.c ] || continue # other names of some together
        name=$(sed -n 's/^    \.name = "\([^"]*\)".*/\1/p' "$file" | head -n 1)
        awk -v name="$name" '$1 == ".Ss" { on = $2 == name } on && $1 == ".Bd" { found = 1 } END { exit !found }' "$page" || { echo "$file: $name"; false; }
        count=$((count + 1))
    done < <(grep -rl '^const tri_pass tri_pass_' "$SRCDIR/passes" "$SRCDIR/targets" --include='*.c')
    [ "$count" -gt 40 ]
}
