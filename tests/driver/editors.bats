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
vim.wait(300000, function() return #vim.diagnostic.get(0) > 0 end)
local found = vim.diagnostic.get(0)
print(#found, found[1] and found[1].message or 'nothing')
local hover = vim.lsp.buf_request_sync(0, 'textDocument/hover',
  { textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = 6, character = 7 } }, 5000)
for _, r in pairs(hover or {}) do print(r.result and r.result.contents.value or 'no hover') end
L
    TRITCC=$TRITCC timeout 900 nvim --headless -u NONE -n --cmd "luafile $EXAMPLES/editors/nvim.lua" k.tri -c 'luafile ask.lua' -c 'qa!' >.out 2>&1
    cat .out
    grep -q "1 'triton.language' has no 'laod'" .out
    grep -q 'tl.store(pointer, value' .out
}

@test "Neovim goes to definitions across imports, completes, renames and fixes" {
    need nvim
    mkdir work && cd work
    printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef twice(x, by=2):\n    return x * by\n' >helper.py
    printf '%s\n' 'import triton' 'import triton.language as tl' 'from helper import twice' '' '' '@triton.jit' \
        'def k(p, n, B: tl.constexpr):' '    i = tl.arange(0, B)' '    x = tl.load(p + i, maks=i < n)' '    y = twice(x)' \
        '    tl.store(p + i, y, mask=i < n)' >k.tri
    cat >ask.lua <<'L'
local function ask(method, line, character, more)
  local params = vim.tbl_extend('force', { textDocument = { uri = vim.uri_from_bufnr(0) },
    position = { line = line, character = character } }, more or {})
  for _, r in pairs(vim.lsp.buf_request_sync(0, method, params, 5000) or {}) do return r.result or r.error end
end
local function say(name, value) io.stdout:write(name, ' ', type(value) == 'table' and vim.inspect(value):gsub('%s+', ' ') or tostring(value), '\n') end
vim.wait(300000, function() return #vim.diagnostic.get(0) > 0 end)
local found = vim.diagnostic.get(0)[1]
local range = { start = { line = found.lnum, character = found.col }, ['end'] = { line = found.end_lnum, character = found.end_col } }
local actions = ask('textDocument/codeAction', 0, 0, { range = range, context = { diagnostics = {} } })
say('title', actions[1].title)
vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
say('mended', vim.api.nvim_buf_get_lines(0, 8, 9, true)[1])
vim.wait(300000, function() return #vim.diagnostic.get(0) == 0 end)
say('messages', #vim.diagnostic.get(0))
say('definition', ask('textDocument/definition', 9, 10))
say('module', ask('textDocument/definition', 2, 8))
say('signature', ask('textDocument/signatureHelp', 9, 14))
local labels = {}
for _, item in ipairs(ask('textDocument/completion', 8, 13).items) do labels[#labels + 1] = item.label end
say('completion', table.concat(labels, ' '))
local hints = {}
for _, h in ipairs(ask('textDocument/inlayHint', 0, 0, { range = { start = { line = 0, character = 0 }, ['end'] = { line = 20, character = 0 } } })) do
  hints[#hints + 1] = h.label
end
say('hints', table.concat(hints, ' '))
vim.lsp.util.apply_workspace_edit(ask('textDocument/rename', 9, 9, { newName = 'double_it' }), 'utf-16')
say('renamed', vim.api.nvim_buf_get_lines(0, 9, 10, true)[1])
vim.cmd('silent wall')
L
    TRITCC=$TRITCC timeout 900 nvim --headless -u NONE -n --cmd "luafile $EXAMPLES/editors/nvim.lua" k.tri -c 'luafile ask.lua' -c 'qa!' >../out 2>&1
    cat ../out
    grep -q "title replace 'maks' with 'mask'" ../out
    grep -q 'mended     x = tl.load(p + i, mask=i < n)' ../out
    grep -q 'messages 0' ../out
    grep -q 'definition .*line = 5.*helper.py' ../out
    grep -q 'module .*helper.py' ../out
    grep -q 'signature .*label = "twice(x, by=2)"' ../out
    grep -q 'completion .*load' ../out
    grep -q 'hints .*: int32\[1024\] : fp32\[1024\]' ../out
    grep -q 'renamed     y = double_it(x)' ../out
    grep -q 'def double_it(x, by=2)' helper.py
}

@test "--lsp serves nothing else, and ends when its input does" {
    tritcc -1 --lsp </dev/null
    [ -z "$output$errors" ]
}
