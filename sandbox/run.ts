import { readFileSync } from "node:fs";
import { InputError } from "../src/domain/failures.js";
import { behavioursOf } from "./behaviour.js";
import type { Fault } from "./faults/fault.js";
import { parseFaults } from "./faults/fault-input.js";
import type { SandboxOptions } from "./options.js";
import type { Population } from "./population/population.js";
import type { Sandbox } from "./sandbox.js";
import { startSandbox } from "./start.js";

/** The options of `nightledger sandbox`. */
export interface SandboxCommand
  extends Pick<
    SandboxOptions,
    "port" | "businesses" | "businessOnboardings" | "investments" | "recordRequests"
  > {
  readonly population?: "synthetic" | "volume" | "berka" | "empty";
  readonly users?: number;
  readonly linksPerUser?: number;
  readonly rows?: number;
  readonly seed?: number;
  readonly berkaDir?: string;
  /** Milliseconds before each answer. */
  readonly latency?: number;
  /** JSON, or `@` and the name of a file that holds it. */
  readonly faults?: string;
  readonly rosterOut?: string;
  readonly apiKey?: string;
  /** `contract`, `real`, or names of behaviours separated by commas. */
  readonly behaves?: string;
}

/** Compiles the command's options. @throws InputError naming the option, what is wrong and what is accepted. */
export function sandboxOptions(command: SandboxCommand): SandboxOptions {
  const { port, businesses, businessOnboardings, investments, recordRequests, latency, faults, apiKey } =
    command;
  const { behaves } = command;
  return {
    population: populationOf(command),
    ...given({ port, businesses, businessOnboardings, investments, recordRequests, latencyMs: latency }),
    ...(faults !== undefined && { faults: readFaults(faults) }),
    ...(apiKey !== undefined && { apiKeys: [apiKey] }),
    ...(behaves !== undefined && { behaves: behavioursOf(behaves) }),
  };
}

/**
 * Runs a stand-in until the signal: starts it, writes the roster where asked, tells `onReady`, closes it.
 * @throws InputError for bad options, a taken port, or a roster file that can't be written.
 */
export async function runSandbox(
  command: SandboxCommand,
  signal: AbortSignal,
  onReady: (sandbox: Sandbox) => void,
): Promise<void> {
  const sandbox = await startSandbox(sandboxOptions(command));
  try {
    const { rosterOut } = command;
    if (rosterOut !== undefined) {
      await sandbox.writeRoster(rosterOut).catch((error: Error) => {
        throw new InputError(
          `--roster-out: ${rosterOut} can't be written (${error.message}); the sandbox was stopped`,
        );
      });
    }
    onReady(sandbox);
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  } finally {
    await sandbox.close();
  }
}

/** Reads faults given as JSON, or as `@file`. */
function readFaults(text: string): Fault[] {
  if (!text.startsWith("@")) return parseFaults(text, "--faults");
  const file = text.slice(1);
  let content: string;
  try {
    content = readFileSync(file, "utf8");
  } catch (error) {
    throw new InputError(
      `--faults: ${file} can't be read (${(error as Error).message}); nothing was started`,
    );
  }
  return parseFaults(content, file);
}

function populationOf(command: SandboxCommand): Population {
  const { population: kind = "synthetic", berkaDir, users, linksPerUser, rows, seed } = command;
  if (kind === "empty") return { kind };
  if (kind === "berka") {
    if (!berkaDir)
      throw new InputError("--population berka needs --berka-dir, the directory of the bank data");
    return { kind, directory: berkaDir };
  }
  const sizes = given({ users, linksPerUser, rows, seed });
  return kind === "volume" ? { kind, ...sizes } : { kind, otherStates: true, ...sizes };
}

/** The options that are set: the others keep their defaults. */
function given<K extends string>(options: Record<K, number | undefined>): { [N in K]?: number } {
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [N in K]?: number };
}
