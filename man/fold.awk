# What mdoc wants of lines of text, but for displays as they are: 80 columns at most, and nothing that looks like the name
# of a function without its macro.
/^\.(Bd -literal|Bd -unfilled|EX|nf)/ { is_display = 1 }
/^\.(Ed|EE|fi)/ { is_display = 0 }
is_display || /^[.']/ { print; next }
{
    gsub(/[A-Za-z0-9_]\(\)/, "&\001")
    gsub(/\(\)\001/, "\\\\\\&()")
    count = split($0, word, " ")
    line = word[1]
    for (i = 2; i <= count; i++) {
        if (length(line) + 1 + length(word[i]) > 78) {
            print line
            line = (word[i] ~ /^[.']/ ? "\\&" : "") word[i]
        } else {
            line = line " " word[i]
        }
    }
    print line
}
