// Starts `ptxscope lsp` and connects VS Code to it.

import { ExtensionContext, workspace } from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

const LANGUAGES = ["ptx", "cuda-cpp", "c", "cpp", "python", "rust"];

export async function activate(context: ExtensionContext): Promise<void> {
  const [command, ...args] = workspace
    .getConfiguration("ptxscope")
    .get<string[]>("command", ["ptxscope", "lsp"]);
  const client = new LanguageClient(
    "ptxscope",
    "ptxscope",
    { command, args },
    { documentSelector: LANGUAGES.map((language) => ({ language })) },
  );
  context.subscriptions.push(client);
  await client.start();
}
