import type { Terminal } from "../../../src/cli/terminal/terminal.js";

/** A terminal without variables that shows nothing. */
export const SILENT: Terminal = {
  env: {},
  cwd: "/",
  interactive: false,
  result: () => undefined,
  say: () => undefined,
};
