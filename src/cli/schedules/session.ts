import { type JobSession, openJobSession } from "../session/job-session.js";
import { runPreflight } from "../session/preflight.js";
import { EXIT } from "../terminal/exit-code.js";
import { withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";

/** Does something with Temporal's schedules, without working on runs meanwhile; the exit code. */
export async function withSchedules(
  terminal: Terminal,
  work: (session: JobSession) => Promise<void>,
): Promise<number> {
  const preflight = await runPreflight(terminal);
  await withInterruption(async (held) => {
    await work(await openJobSession(terminal, preflight, held, { worker: false }));
  });
  return EXIT.completed;
}
