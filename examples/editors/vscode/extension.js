// Starts tritcc --lsp for kernels.
const { workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = () => {
  const settings = workspace.getConfiguration('tritcc');
  const server = { command: settings.get('path'), args: ['--lsp'] };
  client = new LanguageClient('tritcc', 'tritcc', server, {
    documentSelector: [{ scheme: 'file', language: 'triton' }, { scheme: 'file', language: 'python' }],
    initializationOptions: { arguments: settings.get('arguments') },
    synchronize: { configurationSection: 'tritcc' },
  });
  return client.start();
};

exports.deactivate = () => client && client.stop();
