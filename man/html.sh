#!/bin/sh
# The manual as web pages: html.sh FOLDER PAGE... writes FOLDER/PAGE.html for each and an index. MANDOC names mandoc.
set -e
folder=$1
shift
mkdir -p "$folder"
cp "$(dirname "$0")/manual.css" "$folder/"
for page; do
    name=$(basename "$page")
    "${MANDOC:-mandoc}" -T html -O style=manual.css,man=%N.%S.html,toc "$page" |
        sed 's|<html>|<html lang="en">|; s|<table class="head">|<nav><a href="index.html">The manual of tritcc</a></nav><main>&|; s|</body>|</main>&|
            s|<pre|<pre tabindex="0"|; s|class="Bl-column"|& tabindex="0"|' >"$folder/$name.html"
done
{
    echo '<!DOCTYPE html>'
    echo '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    echo '<title>The manual of tritcc</title><link rel="stylesheet" href="manual.css"></head><body><main>'
    echo '<h1>The manual of tritcc</h1><dl class="index">'
    for section in 1 3 7; do # commands first
        for page; do
            name=$(basename "$page")
            [ "${name##*.}" = "$section" ] || continue
            what=$(sed -nE 's/^\.Nd //p; s/^[a-z]+ \\- //p' "$page" | head -n 1)
            printf '<dt><a href="%s.html">%s(%s)</a></dt><dd>%s</dd>\n' "$name" "${name%.*}" "$section" "$what"
        done
    done
    echo '</dl></main></body></html>'
} >"$folder/index.html"
