# bench/README.md, plots/AREA.svg and front.tsv (the figures of README.md) from areas.list, rows.list and results/*.tsv.
function trim(s) { gsub(/^ +| +$/, "", s); return s }
function is_time(unit) { return unit ~ /^(ns|us|ms|s|MB)$/ }
function shown(v) { return v >= 100 ? sprintf("%.0f", v) : v >= 10 ? sprintf("%.1f", v) : sprintf("%.2f", v) }
function ratio_of(area, row, who,    ours, theirs) { # tritcc's speed beside another's
    if (who == "tritcc" || !((area, row, "tritcc") in value) || !((area, row, who) in value))
        return 0
    ours = value[area, row, "tritcc"] + 0; theirs = value[area, row, who] + 0
    if (!ours || !theirs)
        return 0
    return is_time(unit[area, row]) ? theirs / ours : ours / theirs
}
function cell(area, row, who,    text) {
    if (!((area, row, who) in value))
        return ""
    text = shown(value[area, row, who])
    if (second[area, row, who] != "")
        text = text " / " shown(second[area, row, who])
    return text (remark[area, row, who] == "WRONG" ? " (wrong)" : "")
}
function guarded(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); gsub(/`/, "", s); return s }
function short(s) { sub(/ \([^()]*\)$/, "", s); return s } # remarks stand in the table
function name_of(area, row) { return (area, row) in title && title[area, row] != "" ? title[area, row] : row }

function read_results(area,    file, line, f, n) {
    file = folder "/results/" area ".tsv"
    peers[area, "tritcc"] = 1; who[area, ++whos[area]] = "tritcc" # the first column
    while ((getline line < file) > 0) {
        if (line ~ /^# [a-z]+: /) {
            n = index(line, ":")
            fact[area, substr(line, 3, n - 3)] = substr(line, n + 2)
            continue
        }
        split(line, f, "\t")
        if (!((area, f[1]) in unit)) { unit[area, f[1]] = f[2]; rows[area, ++count[area]] = f[1] }
        if (!((area, f[3]) in peers)) { peers[area, f[3]] = 1; who[area, ++whos[area]] = f[3] }
        value[area, f[1], f[3]] = f[4]; second[area, f[1], f[3]] = f[5]; remark[area, f[1], f[3]] = f[6]
    }
    close(file)
}

function table(area, i, k, r, cells, beside, ratio) {
    printf "| |" > page
    for (k = 1; k <= whos[area]; k++)
        printf " %s |", who[area, k] > page
    print " unit | speed of tritcc |" > page
    printf "|---|" > page
    for (k = 1; k <= whos[area]; k++)
        printf "---|" > page
    print "---|---|" > page
    for (i = 1; i <= count[area]; i++) {
        r = rows[area, i]; beside = ""
        printf "| %s |", name_of(area, r) > page
        for (k = 1; k <= whos[area]; k++) {
            cells = cell(area, r, who[area, k])
            printf " %s |", cells > page
            ratio = ratio_of(area, r, who[area, k])
            if (ratio)
                beside = beside (beside == "" ? "" : ", ") sprintf("%.2fx %s", ratio, who[area, k])
        }
        printf " %s | %s |\n", unit[area, r], beside > page
    }
}

# Bars of the ratios, with a line where both are equally fast.
function plot(area,    i, k, n, y, ratio, w, svg, colours, widest) {
    split("#2f81f7 #8957e5 #3fb950 #d29922", colours, " ")
    widest = 2
    for (i = 1; i <= count[area]; i++)
        for (k = 1; k <= whos[area]; k++) {
            n += ratio_of(area, rows[area, i], who[area, k]) > 0
            if (ratio_of(area, rows[area, i], who[area, k]) > widest)
                widest = ratio_of(area, rows[area, i], who[area, k])
        }
    if (!n)
        return 0
    svg = out "/plots/" area ".svg"
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 820 %d\" role=\"img\" aria-label=\"speed of tritcc beside others\">\n", n * 18 + 46 > svg
    print "<style>text { font: 12px sans-serif; fill: #1f2328 } .line { stroke: #57606a; stroke-dasharray: 4 3 }" > svg
    print "@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .line { stroke: #8d96a0 } }</style>" > svg
    y = 34
    for (i = 1; i <= count[area]; i++) {
        first = 1
        for (k = 1; k <= whos[area]; k++) {
            ratio = ratio_of(area, rows[area, i], who[area, k])
            if (!ratio)
                continue
            if (first)
                printf "<text x=\"8\" y=\"%d\">%s</text>\n", y + 11, guarded(short(name_of(area, rows[area, i]))) > svg
            first = 0
            w = ratio
            printf "<rect x=\"400\" y=\"%d\" width=\"%.0f\" height=\"13\" rx=\"2\" fill=\"%s\"/>", y, w / widest * 340, colours[(k - 2) % 4 + 1] > svg
            printf "<text x=\"%.0f\" y=\"%d\">%.2f</text>\n", 404 + (w < 1 ? 1 : w) / widest * 340, y + 11, ratio > svg
            y += 18
        }
    }
    printf "<line class=\"line\" x1=\"%.0f\" x2=\"%.0f\" y1=\"26\" y2=\"%d\"/><text x=\"8\" y=\"16\">speed of tritcc beside", 400 + 340 / widest, 400 + 340 / widest, y > svg
    for (k = 1; k <= whos[area]; k++)
        if (who[area, k] != "tritcc")
            printf " <tspan fill=\"%s\" font-weight=\"bold\">%s</tspan>", colours[(k - 2) % 4 + 1], guarded(who[area, k]) > svg
    printf "</text><text x=\"%.0f\" y=\"16\" text-anchor=\"middle\">1.0</text>\n</svg>\n", 400 + 340 / widest > svg
    close(svg)
    return 1
}

function front(area, run,    i, k, r, others) {
    for (i = 1; i <= count[area]; i++) {
        r = rows[area, i]
        if (!((area, r) in wanted))
            continue
        others = ""
        for (k = 1; k <= whos[area]; k++)
            if (ratio_of(area, r, who[area, k]))
                others = others (others == "" ? "" : ", ") who[area, k] " " cell(area, r, who[area, k])
        printf "| %s | %s | %s | %s | `bench/%s`, %s, %.7s |\n", wanted[area, r], cell(area, r, "tritcc"), others, unit[area, r],
            run, fact[area, "date"], fact[area, "commit"] > figures
    }
}

BEGIN {
    FS = " *[|] *"
    page = out "/README.md"; figures = out "/front.tsv"
    while ((getline line < (folder "/rows.list")) > 0) {
        if (line ~ /^#/ || split(line, f, "|") < 3)
            continue
        title[trim(f[1]), trim(f[2])] = trim(f[3])
        if (trim(f[4]) != "")
            wanted[trim(f[1]), trim(f[2])] = trim(f[4])
    }
    print "# Measured\n\nMade by `report.sh` from `results/`; each file there is what one script printed in one run (`record.sh`), tritcc and its peers" > page
    print "by turns. A speed above 1 is faster than the peer. What the tables leave open is told in [gpu](gpu/README.md) and" > page
    print "[cpu](cpu/README.md)." > page
    print "\n| | tritcc | others in the same run | unit | script, day, commit |\n|---|---|---|---|---|" > figures
}
/^#/ || NF < 4 { next }
{
    area = trim($1)
    read_results(area)
    if (!count[area])
        next
    printf "\n## %s\n\n", trim($2) > page
    printf "%s.\n%s; commit %s; values are %s. %s\nAgain: `bench/%s`.\n\n", fact[area, "machine"], fact[area, "date"],
        fact[area, "commit"], trim($3), trim($5), trim($4) > page
    if (plot(area))
        printf "![speed of tritcc beside others](plots/%s.svg)\n\n", area > page
    table(area)
    split(trim($4), words, " ")
    front(area, words[1] ~ /=/ ? words[2] : words[1])
}
END { print "" > figures; close(figures) }
