import { OPERATIONS } from "../../api/operations/index.js";
import { operationText } from "../../api/reference/reference.js";
import { findOperation } from "./request.js";

/** Writes the help below the options of `call`: a list of all operations, or everything about one. */
export function callHelp(name: string | undefined): string {
  if (name !== undefined) return `\n${plain(operationText(findOperation(name)))}`;
  const width = Math.max(...OPERATIONS.map((operation) => operation.name.length));
  const lines = OPERATIONS.map((operation) => `  ${operation.name.padEnd(width)}  ${operation.summary}`);
  return `\nOperations (call <operation> --help tells more):\n${lines.join("\n")}`;
}

// The text is written for a Markdown page; a terminal shows it without the markup.
function plain(text: string): string {
  return text.replace(/^### /, "").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("\\|", "|");
}
