import { fileURLToPath } from "node:url";
import { startNode } from "./command-process.js";
import type { StandIn } from "./stand-in.js";

/** What is fetched, and how. */
export interface CeilingOptions {
  readonly url: string;
  readonly apiKey: string;
  /** Users, each with links of its own, as the roster names them. */
  readonly roster: string;
  readonly concurrency: number;
  readonly pageSize: number;
  /** Whether each user's accounts are asked for. */
  readonly accounts: boolean;
  /** Nights one after the other, each link's from the cursor of the one before; the last one is measured. */
  readonly nights: number;
}

/** What fetching and parsing alone came to. */
export interface Ceiling {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly rows: number;
  readonly pages: number;
  readonly calls: number;
}

const SCRIPT = fileURLToPath(new URL("./ceiling-process.js", import.meta.url));

/**
 * Fetches what a sync fetches, with as many calls in flight, in a process of its own, and parses it:
 * nothing else. No sync on this machine against this stand-in can be faster.
 */
export async function measureCeiling(
  standIn: Pick<StandIn, "url" | "apiKey">,
  roster: string,
  concurrency: number,
  shape: Partial<Pick<CeilingOptions, "accounts" | "nights">> = {},
): Promise<Ceiling> {
  const { url, apiKey } = standIn;
  const { accounts = true, nights = 1 } = shape;
  const options: CeilingOptions = { url, apiKey, roster, concurrency, pageSize: 500, accounts, nights };
  const { code, stdout, stderr } = await startNode(SCRIPT, [JSON.stringify(options)]).ended;
  if (code !== 0) throw new Error(`the ceiling could not be measured (${code}): ${stderr}`);
  return JSON.parse(stdout) as Ceiling;
}
