import { spawn } from "node:child_process";
import { once } from "node:events";
import { endGroup } from "../temporal/cli/tool-process.js";

const LONGEST_MS = 60_000;

/** The worker's variables that the command gets; none of them is a secret (docs/use/onboarding.md). */
const PASSED_ON = [
  ...["PATH", "HOME", "LANG", "TZ"],
  ...["NIGHTLEDGER_API_URL", "NIGHTLEDGER_HOME", "NIGHTLEDGER_LAKE", "NIGHTLEDGER_LOG_LEVEL"],
  ...["NIGHTLEDGER_WEBHOOK_MODE", "NIGHTLEDGER_SCRATCH", "NIGHTLEDGER_SCRATCH_MB"],
  ...["AWS_REGION", "AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"],
];

/**
 * Runs a shell command with one JSON line on its standard input. It has a process group of its own, which is killed when it
 * takes too long. Its output is discarded, because it could quote the secrets in its input.
 *
 * @returns its exit code, or the signal that ended it.
 * @throws the signal's reason when aborted.
 */
export async function commandEnd(
  command: string,
  line: object,
  signal: AbortSignal,
  longestMs = LONGEST_MS,
): Promise<number | NodeJS.Signals> {
  signal.throwIfAborted();
  const child = spawn(command, {
    shell: true,
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: Object.fromEntries(PASSED_ON.map((name) => [name, process.env[name]])),
  });
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const end = () => endGroup(child.pid);
  const timer = setTimeout(end, longestMs);
  signal.addEventListener("abort", end, { once: true });
  try {
    // A command that does not read its input may close it early; only the exit code matters.
    child.stdin.on("error", () => undefined);
    child.stdin.end(`${JSON.stringify(line)}\n`);
    const [code, killedBy] = await exited;
    signal.throwIfAborted();
    return code ?? (killedBy as NodeJS.Signals);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}
