import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sandbox } from "../../../sandbox/index.js";
import type { JobFolder } from "../command/job-folder.js";

const POLL_MS = 2;

/** A moment in a run at which something is killed. */
export interface KillPoint {
  readonly name: string;
  /** Resolves when the moment has come; counts from the call on. */
  arrive(folder: JobFolder, sandbox: Sandbox, signal: AbortSignal): Promise<void>;
}

function onFile(name: string, directory: (folder: JobFolder) => string, pattern: RegExp): KillPoint {
  return { name, arrive: (folder, _, signal) => newName(directory(folder), pattern, signal) };
}

function inLake(name: string, directory: string, pattern: RegExp): KillPoint {
  return onFile(name, ({ lake }) => join(lake, directory), pattern);
}

const PARQUET = /\.parquet$/;
const COMMIT = /^\d{20}\.json$/;

/** Only where no other process has brought it up. */
export const SERVER_STARTED = onFile("the embedded server is started", ({ home }) => home, /^server\.json$/);

/** Moments that are known by a new file: between a step of a commit and the next one. */
export const FILE_POINTS: readonly KillPoint[] = [
  inLake("the roster is frozen", "_staging", /^sync-/),
  inLake("links are observed", "bank_links/_delta_log", COMMIT),
  inLake("rows are loaded", "transaction_changes", PARQUET),
  inLake("the feed is committed", "transaction_changes/_delta_log", COMMIT),
  inLake("link_syncs is written", "link_syncs", PARQUET),
  inLake("link_syncs is committed", "link_syncs/_delta_log", COMMIT),
  inLake("materialize writes", "transactions", PARQUET),
  inLake("materialize has committed", "transactions/_delta_log", COMMIT),
  inLake("runs is written", "runs", PARQUET),
  inLake("runs is committed", "runs/_delta_log", COMMIT),
];

/** The moment at which so many pages of transactions have been asked for. */
export function atPage(page: number): KillPoint {
  return {
    name: `page ${page} is asked for`,
    arrive: (_, sandbox) => sandbox.waitForRequests(page, { operation: "sync_transactions" }),
  };
}

/** Resolves when a directory (which need not be there yet) has a name that it did not have before. */
export async function newName(directory: string, pattern: RegExp, signal?: AbortSignal): Promise<void> {
  const before = new Set(namesIn(directory));
  for (;;) {
    if (namesIn(directory).some((name) => !before.has(name) && pattern.test(name))) return;
    await sleep(POLL_MS, undefined, signal && { signal });
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
