# The launcher's assembly as targets/object/runtime.c reads it: pieces, each of which begins with its section's line, for
# each function, its tables, and each object; behind the line "#names" what says of names that they are weak or hidden.

/^\t\.(file|ident|addrsig)/ || /^$/ { next }
/^\t\.(weak|hidden)\t/ { names = names $0 "\n"; next }
/^\t\.type\t.*object$/ { type = $0; next }
# Of a function or an object: llc made it for the cut alone, and hundreds of sections make objects large.
/^\t\.section\t/ && match($0, /\.(text|rodata|data\.rel\.ro|data|bss|tbss)\./) {
    kind = substr($0, RSTART, RLENGTH - 1)
    if (!/\.rodata\.(str|cst)[0-9]/)
        sub(/\.(text|rodata|data\.rel\.ro|data|bss|tbss)\.[^,]*/, kind)
}
/^\t\.section\t/ {
    section = $0
    if (type == "")
        print
}
type != "" {
    print section
    print type
    type = ""
}
!/^\t\.section\t/
END { printf "#names\n%s", names }
