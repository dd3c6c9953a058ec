/* tritcc --lsp: a language server for kernels (Language Server Protocol 3.17) on standard input and output. */
#ifndef TRI_DRIVER_LSP_SERVER_H
#define TRI_DRIVER_LSP_SERVER_H

/* Serves until the client says exit or is gone; the exit status. */
int tri_server_run(void);

#endif
