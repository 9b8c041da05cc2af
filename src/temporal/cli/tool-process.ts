import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

interface ToolRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** For its standard input. */
  readonly input?: string;
  /** Gets the beginning of each line of output. */
  readonly onLine?: (line: string) => void;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called every second; a returned text ends the command and is the reason. */
  readonly watch?: (elapsedMs: number) => Promise<string | undefined>;
}

const OUTPUT_CHARS = 2_000;
const LONGEST_LINE = 2_000;
const WATCH_MS = 1_000;
/** For output that a command leaves behind. */
const LAST_OUTPUT_MS = 1_000;

/**
 * Runs a command in its own process group, which ends with it. `failure` is undefined for success, `output` the last
 * part of both streams.
 * @throws the signal's reason when aborted; never for the command's own failure
 */
export async function runTool({ command, args, env, cwd, input, onLine, timeoutMs, signal, watch }: ToolRun) {
  signal?.throwIfAborted();
  const child = spawn(command, args, { env, cwd, detached: true });
  const closed = once(child, "close").catch(() => undefined);
  // A command that does not read its input may close it early.
  child.stdin.on("error", () => undefined).end(input);
  let output = "";
  let failure: string | undefined;
  const keep = (text: string) => {
    output = (output + text).slice(-OUTPUT_CHARS);
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", keep);
    if (onLine !== undefined) eachLine(stream, onLine);
  }
  const end = (reason: string) => {
    failure ??= reason;
    endGroup(child.pid);
  };
  const abort = () => end("interrupted");
  signal?.addEventListener("abort", abort, { once: true });
  const startedAt = Date.now();
  const timer = setInterval(async () => {
    const reason = await watch?.(Date.now() - startedAt).catch(() => undefined);
    if (reason !== undefined) end(reason);
  }, WATCH_MS);
  const tooLong = `took longer than ${Math.round(timeoutMs / 1000)} s`;
  const deadline = setTimeout(() => end(tooLong), timeoutMs);
  try {
    const ended = await new Promise<string | undefined>((resolve) => {
      child.once("error", (error) => resolve(`could not be run: ${error.message}`));
      // Not "close": a grandchild may keep the pipes open.
      child.once("exit", (code, signal) =>
        resolve(code === 0 ? undefined : `ended with ${signal ?? `code ${code}`}`),
      );
    });
    endGroup(child.pid);
    await Promise.race([closed, sleep(LAST_OUTPUT_MS, undefined, { ref: false })]);
    signal?.throwIfAborted();
    return { failure: failure ?? ended, output: output.trim() };
  } finally {
    clearInterval(timer);
    clearTimeout(deadline);
    signal?.removeEventListener("abort", abort);
    endGroup(child.pid);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

function eachLine(output: Readable, onLine: (line: string) => void): void {
  let begun = "";
  output.on("data", (text: string) => {
    const lines = (begun + text).split("\n").map((line) => line.slice(0, LONGEST_LINE));
    begun = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  });
  output.on("end", () => begun !== "" && onLine(begun));
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group is empty.
  }
}
