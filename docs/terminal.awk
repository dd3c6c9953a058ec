# Text of a terminal with colours as an SVG picture.
BEGIN { colours["1;31"] = "#ff7b72"; colours["31"] = "#ff7b72"; colours["1;35"] = "#d2a8ff"; colours["35"] = "#d2a8ff"
    colours["1;36"] = "#79c0ff"; colours["36"] = "#79c0ff"; colours["1;32"] = "#7ee787"; colours["32"] = "#7ee787"; colours["34"] = "#79c0ff"; colours["1;34"] = "#79c0ff" }
{ lines[NR] = $0; plain = $0; gsub(/\033\[[0-9;]*m/, "", plain); if (length(plain) > widest) widest = length(plain) }
function guarded(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); return s }
END {
    width = widest * 8.45 + 32; height = NR * 20 + 28
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" aria-label=\"a message of tritcc\">\n", width, height, width
    printf "<style>text{white-space:pre}</style>\n<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#16181d\"/>\n<g font-family=\"ui-monospace,monospace\" font-size=\"14\" fill=\"#e6e6e6\" xml:space=\"preserve\">\n"
    for (i = 1; i <= NR; i++) {
        printf "<text x=\"16\" y=\"%d\">", i * 20 + 10
        rest = lines[i]
        while (match(rest, /\033\[[0-9;]*m/)) {
            printf "%s", guarded(substr(rest, 1, RSTART - 1))
            code = substr(rest, RSTART + 2, RLENGTH - 3)
            rest = substr(rest, RSTART + RLENGTH)
            if (open) { printf "</tspan>"; open = 0 }
            if (code != "0" && code != "") { printf "<tspan%s%s>", code ~ /^1/ ? " font-weight=\"bold\"" : "", code in colours ? " fill=\"" colours[code] "\"" : ""; open = 1 }
        }
        printf "%s", guarded(rest)
        if (open) { printf "</tspan>"; open = 0 }
        print "</text>"
    }
    print "</g>\n</svg>"
}
