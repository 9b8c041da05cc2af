import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { BulkSummary } from "../src/domain/bulk/bulk-totals.js";
import { NIGHTLEDGER, startNode } from "./command-process.js";
import { type ProcessUsage, watchUsage } from "./process-usage.js";
import type { StandIn } from "./stand-in.js";

/** Where and against what a bulk job runs. */
interface BulkOptions {
  readonly standIn: Pick<StandIn, "url" | "apiKey">;
  /** The command and its options, without `--json`. */
  readonly args: readonly string[];
  /** Its working directory, with lake and HOME. */
  readonly directory: string;
  readonly concurrency: number;
}

/** What a bulk job did and took. */
export interface BulkRun {
  readonly summary: BulkSummary;
  /** Seconds of the run itself. */
  readonly seconds: number;
  /** Seconds of the whole command, with reading, judging, freezing and the start of everything. */
  readonly commandSeconds: number;
  readonly process: ProcessUsage;
  readonly temporal: ProcessUsage;
}

/** Runs a bulk job to its end. @throws Error when it does not complete: a figure of a failed run says nothing. */
export async function runBulk({ standIn, args, directory, concurrency }: BulkOptions): Promise<BulkRun> {
  const started = performance.now();
  const command = startNode(NIGHTLEDGER, [...args, "--json"], {
    cwd: directory,
    env: {
      NIGHTLEDGER_API_URL: standIn.url,
      NIGHTLEDGER_API_KEY: standIn.apiKey,
      NIGHTLEDGER_API_CONCURRENCY: String(concurrency),
    },
  });
  const usage = watchUsage(command.pid);
  const { code, stdout, stderr } = await command.ended;
  const commandSeconds = (performance.now() - started) / 1000;
  if (code !== 0) throw new Error(`the command ended with ${code}: ${stderr.slice(-2000)}`);
  const summary = JSON.parse(stdout) as BulkSummary;
  const { own: process, children: temporal } = usage.last();
  return { summary, seconds: summary.duration_ms / 1000, commandSeconds, process, temporal };
}

/** Writes a transactions file of so many rows, in turn over the first account of each link of a stand-in. */
export async function writeTransactions(path: string, { control }: StandIn, rows: number): Promise<void> {
  const accounts: string[] = [];
  for (const { account_id } of await control.totals()) accounts.push(account_id);
  const places: string[] = [];
  for (const { id } of await control.links()) {
    const account = accounts.find((one) => one.includes(id));
    if (account !== undefined) places.push(`${id},${account}`);
  }
  await pipeline(Readable.from(lines(places, rows)), createWriteStream(path));
}

function* lines(places: readonly string[], rows: number): Generator<string> {
  yield "link_id,account_id,amount,date,description\n";
  for (let number = 0; number < rows; number += 1) {
    const day = String(1 + (number % 28)).padStart(2, "0");
    yield `${places[number % places.length]},${number}.${(number % 90) + 10},2026-10-${day},"Payment ${number}, monthly"\n`;
  }
}
