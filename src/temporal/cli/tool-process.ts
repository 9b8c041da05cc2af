import { spawn } from "node:child_process";

interface ToolRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called every second; a returned text ends the command and is the reason. */
  readonly watch?: (elapsedMs: number) => Promise<string | undefined>;
}

const OUTPUT_CHARS = 2_000;
const WATCH_MS = 1_000;

/**
 * Runs a command in its own process group, which ends with it. `failure` is undefined for success, `output` the last
 * part of both streams.
 * @throws the signal's reason when aborted; never for the command's own failure
 */
export async function runTool({ command, args, env, cwd, timeoutMs, signal, watch }: ToolRun) {
  signal?.throwIfAborted();
  const child = spawn(command, args, { env, cwd, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let failure: string | undefined;
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString("utf8")).slice(-OUTPUT_CHARS);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
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

export function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group is empty.
  }
}
