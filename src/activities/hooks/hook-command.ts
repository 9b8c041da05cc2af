import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { HOUR } from "../../domain/duration.js";
import { endGroup } from "../../temporal/cli/tool-process.js";

/** After so long a command is killed, and tried again. */
const LONGEST_MS = HOUR;
/** Characters of a line of output that the log gets. */
const LONGEST_LINE = 2_000;
/** How long to wait for output that a command leaves behind. */
const LAST_OUTPUT_MS = 1_000;

/** Variables of the worker that its commands do not get. */
const SECRET = /^(NIGHTLEDGER|TEMPORAL)_.*(KEY|SECRET|TOKEN|PASSWORD)/;

/** Thrown when a hook's target did not take a message; Temporal tries again. */
export class HookError extends Error {
  override readonly name = "HookError";
}

interface CommandRun {
  /** Becomes one JSON line on its standard input. */
  readonly line: object;
  /** Variables besides those of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** Is told each line of its output. */
  said(line: string): void;
  readonly signal: AbortSignal;
  readonly longestMs?: number;
}

/** Tells the beginning of each line: one that never ends is not kept whole. */
function eachLine(output: Readable, said: (line: string) => void): void {
  let begun = "";
  output.setEncoding("utf8").on("data", (text: string) => {
    const lines = (begun + text).split("\n").map((line) => line.slice(0, LONGEST_LINE));
    begun = lines.pop() ?? "";
    for (const line of lines) said(line);
  });
  output.on("end", () => begun !== "" && said(begun));
}

/** The variables of this process that its commands get: all but Nightledger's own secrets. */
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
  { line, env, said, signal, longestMs = LONGEST_MS }: CommandRun,
): Promise<void> {
  signal.throwIfAborted();
  const child = spawn("sh", ["-c", command], { detached: true, env: { ...passedOn(process.env), ...env } });
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const closed = once(child, "close").catch(() => undefined);
  const end = () => endGroup(child.pid);
  const timer = setTimeout(end, longestMs);
  signal.addEventListener("abort", end, { once: true });
  for (const output of [child.stdout, child.stderr]) eachLine(output, said);
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
