import { HOUR } from "../../domain/duration.js";
import { runTool } from "../../temporal/cli/tool-process.js";

const SECRET = /^(NIGHTLEDGER|TEMPORAL)_.*(KEY|SECRET|TOKEN|PASSWORD)/;

/** Thrown when a hook's target did not take a message; Temporal tries again. */
export class HookError extends Error {
  override readonly name = "HookError";
}

interface CommandRun {
  /** For its standard input, as JSON. */
  readonly line: object;
  readonly env: Readonly<Record<string, string>>;
  onLine(line: string): void;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

/** All variables but Nightledger's own secrets. */
export function passedOn(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET.test(name)));
}

/**
 * Runs a hook's command in a shell.
 *
 * @throws HookError where it does not exit with 0, or takes too long; the signal's reason when aborted.
 */
export async function runHookCommand(
  command: string,
  { line, env, timeoutMs = HOUR, ...run }: CommandRun,
): Promise<void> {
  const { failure } = await runTool({
    command: "sh",
    args: ["-c", command],
    env: { ...passedOn(process.env), ...env },
    input: `${JSON.stringify(line)}\n`,
    timeoutMs,
    ...run,
  });
  if (failure !== undefined) throw new HookError(`the command of a hook ${failure}`);
}
