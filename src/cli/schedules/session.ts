import { type JobSession, openJobSession } from "../session/job-session.js";
import { runPreflight } from "../session/preflight.js";
import { EXIT } from "../terminal/exit-code.js";
import { withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";

/** Opens Temporal's schedules, without a worker in this process. Returns the exit code. */
export async function withSchedules(
  terminal: Terminal,
  work: (session: JobSession) => Promise<void>,
): Promise<number> {
  const preflight = await runPreflight(terminal);
  await withInterruption(async (interruption) => {
    await work(await openJobSession(terminal, preflight, interruption, { worker: false }));
  });
  return EXIT.completed;
}
