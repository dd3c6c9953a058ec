-- Kernels in Neovim (0.7 and newer): tritcc as language server for *.tri, and for *.py that import triton.
local options = { arguments = { '-arch=sm_90a' } }

local function imports_triton(buffer)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, 200, false)) do
    if line:match('^%s*import%s+triton') or line:match('^%s*from%s+triton') then
      return true
    end
  end
  return false
end

local shared -- the server of all buffers, where vim.lsp.start (0.8) does not find it

local function attach(buffer)
  local config = {
    name = 'tritcc',
    cmd = { vim.env.TRITCC or 'tritcc', '--lsp' },
    root_dir = vim.fn.getcwd(),
    init_options = options,
  }
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = buffer })
  else
    shared = shared or vim.lsp.start_client(config)
    vim.lsp.buf_attach_client(buffer, shared)
  end
end

vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
  pattern = { '*.tri', '*.py' },
  callback = function(event)
    if vim.fn.expand('<afile>:e') == 'tri' then
      vim.bo[event.buf].filetype = 'python'
    end
    if vim.fn.expand('<afile>:e') == 'tri' or imports_triton(event.buf) then
      attach(event.buf)
    end
  end,
})
