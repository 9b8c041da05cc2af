import type { Terminal } from "../../../src/cli/terminal/terminal.js";

export const SILENT: Terminal = {
  env: {},
  cwd: "/",
  interactive: false,
  result: () => undefined,
  say: () => undefined,
};
