import { readFileSync } from "node:fs";
import { InputError } from "../src/domain/failures.js";
import type { Fault } from "./faults/fault.js";
import { parseFaults } from "./faults/fault-input.js";
import type { SandboxOptions } from "./options.js";
import type { Population } from "./population/population.js";
import type { Sandbox } from "./sandbox.js";
import { startSandbox } from "./start.js";

/** The options of `nightledger sandbox` as they stand on the command line; numbers may still be texts. */
export interface SandboxCommand {
  port?: number | string;
  /** `synthetic` (default), `volume`, `berka` or `empty`. */
  population?: string;
  users?: number | string;
  linksPerUser?: number | string;
  rows?: number | string;
  seed?: number | string;
  berkaDir?: string;
  /** Milliseconds before each answer. */
  latency?: number | string;
  /** JSON, or `@` and the name of a file that holds it. */
  faults?: string;
  rosterOut?: string;
  apiKey?: string;
  /** How many requests are kept for `/_sandbox/requests`; 0 for benchmarks. */
  recordRequests?: number | string;
  businesses?: number | string;
  /** Investment transactions of each link. */
  investments?: number | string;
}

/** Compiles the command's options. @throws InputError naming the option, what was wrong and what is accepted. */
export function sandboxOptions(command: SandboxCommand): SandboxOptions {
  const port = count("--port", command.port, 65_535);
  const latencyMs = count("--latency", command.latency);
  const recordRequests = count("--record-requests", command.recordRequests);
  const businesses = count("--businesses", command.businesses);
  const investments = count("--investments", command.investments);
  return {
    population: populationOf(command),
    ...(businesses === undefined ? {} : { businesses }),
    ...(investments === undefined ? {} : { investments }),
    ...(port === undefined ? {} : { port }),
    ...(latencyMs === undefined ? {} : { latencyMs }),
    ...(recordRequests === undefined ? {} : { recordRequests }),
    ...(command.faults === undefined ? {} : { faults: readFaults(command.faults) }),
    ...(command.apiKey === undefined ? {} : { apiKeys: [command.apiKey] }),
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
    if (command.rosterOut !== undefined) await writeRoster(sandbox, command.rosterOut);
    onReady(sandbox);
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  } finally {
    await sandbox.close();
  }
}

/** Reads faults given as JSON, or as `@file`. @throws InputError */
export function readFaults(text: string): Fault[] {
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
  const kind = command.population ?? "synthetic";
  if (kind === "empty") return { kind };
  if (kind === "berka") {
    if (!command.berkaDir)
      throw new InputError("--population berka needs --berka-dir, the directory of the bank data");
    return { kind, directory: command.berkaDir };
  }
  if (kind !== "synthetic" && kind !== "volume") {
    throw new InputError(`--population: unknown; accepted are synthetic, volume, berka, empty`);
  }
  const sizes = {
    users: count("--users", command.users),
    linksPerUser: count("--links-per-user", command.linksPerUser),
    rows: count("--rows", command.rows, 99_999_999),
    seed: count("--seed", command.seed),
  };
  const given = Object.fromEntries(Object.entries(sizes).filter(([, value]) => value !== undefined));
  return kind === "volume" ? { kind, ...given } : { kind, otherStates: true, ...given };
}

function count(option: string, value: number | string | undefined, maximum = Number.MAX_SAFE_INTEGER) {
  if (value === undefined) return undefined;
  if (!/^\d{1,15}$/.test(String(value)) || Number(value) > maximum) {
    throw new InputError(`${option}: an integer from 0 to ${maximum} is accepted; nothing was started`);
  }
  return Number(value);
}

async function writeRoster(sandbox: Sandbox, file: string): Promise<void> {
  try {
    await sandbox.writeRoster(file);
  } catch (error) {
    throw new InputError(
      `--roster-out: ${file} can't be written (${(error as Error).message}); the stand-in was stopped`,
    );
  }
}
