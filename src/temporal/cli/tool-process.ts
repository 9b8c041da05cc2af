import { spawn } from "node:child_process";

interface ToolRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called every second with the elapsed time; a returned text ends the command and is the reason. */
  readonly watch?: (elapsedMs: number) => Promise<string | undefined>;
}

/** How a command ended: `failure` is undefined when it succeeded. `output` is the last part of both streams. */
interface ToolResult {
  readonly failure: string | undefined;
  readonly output: string;
}

const OUTPUT_CHARS = 2_000;
const WATCH_MS = 1_000;

/**
 * Runs a command in its own process group and waits for its end; whatever ends it early ends the whole group.
 *
 * @throws the signal's reason when aborted; never for the command's own failure.
 */
export async function runTool(run: ToolRun): Promise<ToolResult> {
  run.signal?.throwIfAborted();
  const child = spawn(run.command, run.args, {
    env: run.env,
    cwd: run.cwd,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
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
  run.signal?.addEventListener("abort", abort, { once: true });
  const startedAt = Date.now();
  const timer = setInterval(async () => {
    const reason = await run.watch?.(Date.now() - startedAt).catch(() => undefined);
    if (reason !== undefined) end(reason);
  }, WATCH_MS);
  const deadline = setTimeout(
    () => end(`took longer than ${Math.round(run.timeoutMs / 1000)} s`),
    run.timeoutMs,
  );
  try {
    const ended = await new Promise<string | undefined>((resolve) => {
      child.once("error", (error) => resolve(`could not be run: ${error.message}`));
      // Not "close": a grandchild that keeps the pipes open must not keep us.
      child.once("exit", (code, signal) =>
        resolve(code === 0 ? undefined : `ended with ${signal ?? `code ${code}`}`),
      );
    });
    run.signal?.throwIfAborted();
    return { failure: failure ?? ended, output: output.trim() };
  } finally {
    clearInterval(timer);
    clearTimeout(deadline);
    run.signal?.removeEventListener("abort", abort);
    endGroup(child.pid);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody is left in the group.
  }
}
