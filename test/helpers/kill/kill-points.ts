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

function onFile(name: string, directory: string, pattern: RegExp): KillPoint {
  return { name, arrive: (folder, _, signal) => newName(join(folder.directory, directory), pattern, signal) };
}

const PARQUET = /\.parquet$/;
const COMMIT = /^\d{20}\.json$/;

/** Only where no other process has brought it up. */
export const SERVER_STARTED = onFile("the embedded server is started", ".nightledger", /^server\.json$/);

/** Moments that are known by a new file: between a step of a commit and the next one. */
export const FILE_POINTS: readonly KillPoint[] = [
  onFile("the roster is frozen", "lake/_staging", /^sync-/),
  onFile("links are observed", "lake/bank_links/_delta_log", COMMIT),
  onFile("rows are loaded", "lake/transaction_changes", PARQUET),
  onFile("the feed is committed", "lake/transaction_changes/_delta_log", COMMIT),
  onFile("link_syncs is written", "lake/link_syncs", PARQUET),
  onFile("link_syncs is committed", "lake/link_syncs/_delta_log", COMMIT),
  onFile("materialize writes", "lake/transactions", PARQUET),
  onFile("materialize has committed", "lake/transactions/_delta_log", COMMIT),
  onFile("transaction_links is written", "lake/transaction_links", PARQUET),
  onFile("transaction_links is committed", "lake/transaction_links/_delta_log", COMMIT),
  onFile("runs is written", "lake/runs", PARQUET),
  onFile("runs is committed", "lake/runs/_delta_log", COMMIT),
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
