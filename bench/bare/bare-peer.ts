import { fileURLToPath } from "node:url";
import { startNode } from "../command-process.js";
import { type ProcessUsage, watchUsage } from "../process-usage.js";

/** What the bare peer runs. */
export interface BareOptions {
  readonly customers: number;
  /** Customers at once. */
  readonly window: number;
  /** Of each one's activity. */
  readonly latencyMs: number;
  /** From the activity's end to the signal. */
  readonly delayMs: number;
  /** For the Temporal server's database. */
  readonly directory: string;
}

/** What the bare peer came to. */
export interface BareRun {
  readonly seconds: number;
  /** Its worker. */
  readonly process: ProcessUsage;
  /** Temporal and the signal senders. */
  readonly children: ProcessUsage;
}

const SCRIPT = fileURLToPath(new URL("./bare-process.js", import.meta.url));

/**
 * Runs a workflow that keeps a window of child workflows, each with one activity and one signal from another
 * process, on a Temporal server of the product's own kind. What an onboarding does beyond that is the product's.
 */
export async function runBarePeer(options: BareOptions): Promise<BareRun> {
  const command = startNode(SCRIPT, [JSON.stringify(options)]);
  const usage = watchUsage(command.pid);
  const { code, stdout, stderr } = await command.ended;
  const { own, children } = usage.last();
  if (code !== 0) throw new Error(`the bare peer ended with ${code}: ${stderr.slice(-2000)}`);
  return { ...(JSON.parse(stdout) as { seconds: number }), process: own, children };
}
