import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Delivery } from "../../lake/onboarding/continuation-file.js";

const LONGEST_MS = 60_000;

/** Thrown when the command that takes links ended with something other than 0, or not in time. */
export class ContinuationCommandError extends Error {
  override readonly name = "ContinuationCommandError";
}

/**
 * Runs a shell command with one JSON line on its standard input. What it prints is thrown away: it could quote
 * the secrets that it was given.
 *
 * @throws ContinuationCommandError when it does not end with 0 within a minute.
 */
export async function handToCommand(command: string, delivery: Delivery, signal: AbortSignal): Promise<void> {
  const child = spawn(command, {
    shell: true,
    stdio: ["pipe", "ignore", "ignore"],
    timeout: LONGEST_MS,
    signal,
  });
  // A command that never reads closes its end before the line is written: its exit code tells.
  child.stdin.on("error", () => undefined);
  child.stdin.end(`${JSON.stringify(delivery)}\n`);
  const [code, killedBy] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  if (code === 0) return;
  throw new ContinuationCommandError(
    `the command for links ended with ${code ?? killedBy}; the link was not counted as taken and is handed to it again`,
  );
}
