load ../helpers

@test "each compiler of examples/compiler-explorer compiles as it is called there" {
    local count=0 file=$EXAMPLES/compiler-explorer/python.local.properties options
    while IFS= read -r options; do
        # shellcheck disable=SC2086 # words
        tritcc $options -g -o "out$count.s" -S "$EXAMPLES/vadd/vadd.tri"
        [ -s "out$count.s" ]
        count=$((count + 1))
    done < <(sed -n 's/^compiler[.].*[.]options=//p' "$file")
    [ "$count" = "$(sed -n 's/^group.tritcc.compilers=//p' "$file" | tr : '\n' | wc -l)" ]
}

@test "Neovim with examples/editors/nvim.lua shows messages and hovers" {
    need nvim
    printf 'import triton\nimport triton.language as tl\n\n@triton.jit\ndef k(p):\n    x = tl.laod(p)\n    tl.store(p, x)\n' >k.tri
    cat >ask.lua <<'L'
vim.wait(10000, function() return #vim.diagnostic.get(0) > 0 end)
local found = vim.diagnostic.get(0)
print(#found, found[1] and found[1].message or 'nothing')
local hover = vim.lsp.buf_request_sync(0, 'textDocument/hover',
  { textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = 6, character = 7 } }, 5000)
for _, r in pairs(hover or {}) do print(r.result and r.result.contents.value or 'no hover') end
L
    TRITCC=$TRITCC timeout 60 nvim --headless -u NONE -n --cmd "luafile $EXAMPLES/editors/nvim.lua" k.tri -c 'luafile ask.lua' -c 'qa!' >.out 2>&1
    cat .out
    grep -q "1 'triton.language' has no 'laod'" .out
    grep -q 'tl.store(pointer, value' .out
}

@test "--lsp serves nothing else, and ends when its input does" {
    tritcc -1 --lsp </dev/null
    [ -z "$output$errors" ]
}
