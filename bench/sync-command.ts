import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { SyncSummary } from "../src/domain/sync/sync-summary.js";
import { type ActivityTimes, activityTimes } from "./activity-times.js";
import { type CommandProcess, NIGHTLEDGER, startNode } from "./command-process.js";
import { type ProcessUsage, watchUsage } from "./process-usage.js";
import type { StandIn } from "./stand-in.js";

/** Where and against what the command runs. */
interface SyncOptions {
  readonly standIn: Pick<StandIn, "url" | "apiKey" | "cpuSeconds">;
  readonly roster: string;
  /** Its working directory: lake and HOME lie there, and are used again by the next run. */
  readonly directory: string;
  readonly concurrency: number;
  /** As `--streams` takes them; left out: the command's own. */
  readonly streams?: string;
}

/** What a sync did and took. */
export interface SyncRun {
  readonly summary: SyncSummary;
  /** Seconds of the run itself, materialize included. */
  readonly seconds: number;
  /** Seconds of the whole command: with the start of node, Temporal and worker, and their end. */
  readonly commandSeconds: number;
  /** The command's process: worker and client. */
  readonly process: ProcessUsage;
  /** The embedded Temporal server. */
  readonly temporal: ProcessUsage;
  /** CPU of the stand-in meanwhile. */
  readonly standInCpuSeconds: number;
  readonly activities: ActivityTimes;
}

/** Starts `nightledger sync`, embedded, with a log from which the activities' times can be read. */
export function startSync(options: SyncOptions): CommandProcess {
  const { standIn, roster, directory, concurrency, streams } = options;
  const chosen = streams === undefined ? [] : ["--streams", streams];
  return startNode(NIGHTLEDGER, ["sync", "--roster", roster, ...chosen, "--json"], {
    cwd: directory,
    env: {
      NIGHTLEDGER_API_URL: standIn.url,
      NIGHTLEDGER_API_KEY: standIn.apiKey,
      NIGHTLEDGER_API_CONCURRENCY: String(concurrency),
      NIGHTLEDGER_LOG_LEVEL: "debug",
    },
  });
}

/** Runs a sync to its end. @throws Error when it does not complete: a figure of a failed run says nothing. */
export async function runSync(options: SyncOptions): Promise<SyncRun> {
  const log = join(options.directory, ".nightledger", "nightledger.log");
  await rm(log, { force: true });
  const standInBefore = options.standIn.cpuSeconds();
  const started = performance.now();
  const command = startSync(options);
  const usage = watchUsage(command.pid);
  const { code, stdout, stderr } = await command.ended;
  const commandSeconds = (performance.now() - started) / 1000;
  const { own, children } = usage.last();
  if (code !== 0) {
    const said = await readFile(log, "utf8").catch(() => "");
    throw new Error(`the sync ended with ${code}: ${stderr.slice(-2000)}${said.slice(-2000)}`);
  }
  const summary = JSON.parse(stdout) as SyncSummary;
  return {
    summary,
    seconds: summary.duration_ms / 1000,
    commandSeconds,
    process: own,
    temporal: children,
    standInCpuSeconds: options.standIn.cpuSeconds() - standInBefore,
    activities: await activityTimes(log),
  };
}
