import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { HOUR } from "../../domain/duration.js";
import { endGroup } from "../../temporal/cli/tool-process.js";

/** After so long a command is killed, and tried again. */
const LONGEST_MS = HOUR;
const LONGEST_LINE = 2_000;
const LAST_OUTPUT_MS = 1_000;

const SECRET = /^(NIGHTLEDGER|TEMPORAL)_.*(KEY|SECRET|TOKEN|PASSWORD)/;

/** Thrown when a hook's target did not take a message; Temporal tries again. */
export class HookError extends Error {
  override readonly name = "HookError";
}

interface CommandRun {
  /** For its standard input, as JSON. */
  readonly line: object;
  readonly env: Readonly<Record<string, string>>;
  onOutput(line: string): void;
  readonly signal: AbortSignal;
  readonly longestMs?: number;
}

/** Gives the beginning of each line. */
function eachLine(output: Readable, onLine: (line: string) => void): void {
  let begun = "";
  output.setEncoding("utf8").on("data", (text: string) => {
    const lines = (begun + text).split("\n").map((line) => line.slice(0, LONGEST_LINE));
    begun = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  });
  output.on("end", () => begun !== "" && onLine(begun));
}

/** All variables but Nightledger's own secrets. */
export function passedOn(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET.test(name)));
}

/**
 * Runs a hook's command in a shell and a process group of its own, which ends with it.
 *
 * @throws HookError where it does not exit with 0, or takes too long; the signal's reason when aborted.
 */
export async function runHookCommand(
  command: string,
  { line, env, onOutput, signal, longestMs = LONGEST_MS }: CommandRun,
): Promise<void> {
  signal.throwIfAborted();
  const child = spawn("sh", ["-c", command], { detached: true, env: { ...passedOn(process.env), ...env } });
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const closed = once(child, "close").catch(() => undefined);
  const end = () => endGroup(child.pid);
  const timer = setTimeout(end, longestMs);
  signal.addEventListener("abort", end, { once: true });
  for (const output of [child.stdout, child.stderr]) eachLine(output, onOutput);
  try {
    // A command that does not read its input may close it early; only the exit code matters.
    child.stdin.on("error", () => undefined);
    child.stdin.end(`${JSON.stringify(line)}\n`);
    const [code, killedBy] = await exited;
    end();
    await Promise.race([closed, sleep(LAST_OUTPUT_MS, undefined, { ref: false })]);
    signal.throwIfAborted();
    if (code !== 0) throw new HookError(`the command of a hook ended with ${code ?? killedBy}`);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}
