import { EXIT } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";
import { lakeStatus } from "./lake-status.js";
import { statusLines } from "./status-text.js";
import { withRunsView } from "./view.js";

/** Flags of `status`. */
export interface StatusFlags {
  /** In milliseconds. */
  readonly stale: number;
  readonly json?: boolean;
}

/** Says how things are, in about ten lines. Returns the exit code. */
export async function showStatus(terminal: Terminal, { stale, json }: StatusFlags): Promise<number> {
  return withRunsView(terminal, async (view) => {
    const status = await lakeStatus(view, stale);
    if (json) {
      const unfinished = status.unfinished.map(({ running: _, ...run }) => run);
      terminal.result(JSON.stringify({ ...status, unfinished }));
    } else terminal.result(statusLines(terminal, status).join("\n"));
    return EXIT.completed;
  });
}
