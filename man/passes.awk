# What each pass does, before and after, out of the comment at the head of its file: man/passes.awk FILE...
function roff(text) { gsub(/\\/, "\\e", text); if (text ~ /^[.']/) text = "\\&" text; return text }
function close_display() { if (is_display) print ".Ed"; is_display = 0 }
FNR == 1 { at_head = 1; count = 0 }
at_head && (FNR == 1 || count) {
    line = $0
    is_last = line ~ /\*\/ *$/
    sub(/^\/\* ?/, "", line); sub(/^ \* ?/, "", line); sub(/ *\*\/ *$/, "", line)
    lines[++count] = line
    if (is_last) at_head = 0
}
/^    \.name = "/ {
    split($0, part, "\""); print ".Ss " part[2]
    is_display = 0
    for (i = 1; i <= count; i++) {
        if (lines[i] ~ /^    / || (is_display && lines[i] == "" && lines[i + 1] ~ /^    /)) {
            if (!is_display) print ".Bd -literal -offset indent"
            is_display = 1
            print roff(substr(lines[i], 5))
        } else if (lines[i] == "") {
            was_display = is_display
            close_display()
            if (i < count && !was_display && lines[i + 1] !~ /^    /) print ".Pp"
        } else {
            close_display()
            gsub(/[.] +/, ".\n", lines[i]) # mdoc wants a line for each sentence
            n = split(lines[i], sentence, "\n")
            for (k = 1; k <= n; k++) print roff(sentence[k])
        }
    }
    close_display()
}
