import { type RemoteSandbox, remoteSandbox } from "../sandbox/index.js";
import { NIGHTLEDGER, startNode } from "./command-process.js";
import { usageOf } from "./process-usage.js";

/** Who the stand-in serves, and how. */
export interface StandInOptions {
  readonly users: number;
  readonly linksPerUser: number;
  /** Rows of each link. */
  readonly rows: number;
  readonly latencyMs?: number;
  /** Keeps single requests, for counting repeats. */
  readonly record?: boolean;
  /** Where the roster goes. */
  readonly roster: string;
}

/** A stand-in of the service in its own process. */
export interface StandIn {
  readonly url: string;
  readonly apiKey: string;
  readonly control: RemoteSandbox;
  /** CPU that it has used, in seconds: on a small machine it takes part of what is measured. */
  cpuSeconds(): number;
  close(): Promise<void>;
}

/** Starts `nightledger sandbox` with a volume population, whose memory does not grow with its rows. */
export async function startStandIn(options: StandInOptions): Promise<StandIn> {
  const { users, linksPerUser, rows, latencyMs = 0, record = false, roster } = options;
  const flags = {
    port: 0,
    population: "volume",
    users,
    "links-per-user": linksPerUser,
    rows,
    latency: latencyMs,
    "api-key": "sk_bench",
    "roster-out": roster,
  };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const command = startNode(NIGHTLEDGER, ["sandbox", ...args, ...(record ? [] : ["--no-record"])]);
  const { url } = JSON.parse(await command.firstLine()) as { url: string };
  return {
    url,
    apiKey: "sk_bench",
    control: remoteSandbox(url),
    cpuSeconds: () => usageOf(command.pid)?.cpuSeconds ?? 0,
    async close() {
      command.child.kill("SIGTERM");
      await command.ended;
    },
  };
}
