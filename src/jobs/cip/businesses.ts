import { type PackFiles, RowSpool } from "../../lake/bulk/pack/pack-files.js";
import { csvLine } from "../../lake/csv-line.js";
import { KYB_TABLES } from "../../lake/tables/kyb.js";
import type { ClosedGroup } from "../job.js";
import {
  type BusinessOnboarding,
  type BusinessResult,
  type BusinessRow,
  isBusiness,
  kybRows,
  type NamedBusiness,
} from "../kyb/rows.js";
import type { PackFacts, PackTools } from "./facts.js";
import { actionOf, wrongRow } from "./member.js";

const BUSINESSES_FILE = "businesses.csv";
const COLUMNS = [
  ...(["fp_bid", "external_id", "fp_id", "status", "reason", "action"] as const),
  ...(["onboardings", "insights", "watchlist_hits"] as const),
];
/** So many are on the report's page; all of them are in the file. */
const MOST_SHOWN = 500;

/** A business of an export, and what became of it. */
export interface CipBusiness {
  readonly fp_bid: string;
  readonly external_id: string | null;
  /** The person that the file ties it to. */
  readonly fp_id: string | null;
  /** `empty`: the service knows nothing of it, and `reason` says what is missing. */
  readonly status: "exported" | "empty" | "failed" | "excluded";
  readonly reason: string | null;
  /** What to do about it. */
  readonly action: string | null;
  readonly onboardings: readonly BusinessOnboarding[];
}

/** What pages and manifest say of the businesses of a pack. */
export interface PackBusinesses {
  readonly counts: { readonly rows: number; readonly watchlist_hits: number } & Readonly<
    Record<CipBusiness["status"], number>
  >;
  /** The first of them. */
  readonly shown: readonly (Omit<CipBusiness, "onboardings"> & BusinessNumbers)[];
}

interface BusinessNumbers {
  readonly onboardings: number;
  /** Onboardings with insights. */
  readonly insights: number;
  readonly watchlist_hits: number;
}

const NO_NUMBERS: BusinessNumbers = { onboardings: 0, insights: 0, watchlist_hits: 0 };

/** Every business of an export by `fp_bid`. An invalid row that was let through is excluded, under its line, and last. */
export async function* businessesOf(
  groups: () => AsyncIterable<ClosedGroup<object, unknown>>,
  runId: string,
): AsyncGenerator<CipBusiness> {
  for await (const { items } of groups()) {
    const found = items.flatMap(({ rows, result, reason }) => {
      const row = rows[0]?.row;
      if (row === undefined || !isBusiness(row)) return [];
      return [businessOf(row, result as BusinessResult | null, reason, runId)];
    });
    yield* found.sort((a, b) => (a.fp_bid < b.fp_bid ? -1 : 1));
  }
  for await (const { invalid } of groups()) {
    for (const row of invalid.filter(({ kind }) => kind === "kyb")) {
      const { id, ...wrong } = wrongRow(row);
      yield { ...unasked({ fp_bid: id }), ...wrong };
    }
  }
}

function businessOf(
  row: BusinessRow,
  result: BusinessResult | null,
  failure: string | null,
  runId: string,
): CipBusiness {
  const business = unasked(row);
  if (result === null || result.failure !== undefined) {
    const reason = failure ?? result?.failure?.reason ?? "interrupted";
    const action = actionOf(reason, runId, "fp_bid in the file");
    return { ...business, status: "failed", reason, action, onboardings: result?.onboardings ?? [] };
  }
  const { onboardings } = result;
  if (onboardings.some(({ state }) => state === "found"))
    return { ...business, status: "exported", onboardings };
  const reason = onboardings.length === 0 ? "no_onboarding" : "no_insights";
  return {
    ...business,
    status: "empty",
    reason,
    action: "complete its onboarding, then export it",
    onboardings,
  };
}

function unasked({ fp_bid, external_id = null, fp_id = null }: NamedBusiness): CipBusiness {
  return { fp_bid, external_id, fp_id, status: "excluded", reason: null, action: null, onboardings: [] };
}

/** Writes the files of the businesses of an export: a line for each in `businesses.csv`, and their tables. */
export async function writeBusinesses(
  { duckdb, sealer }: PackTools,
  files: PackFiles,
  { exportId }: PackFacts,
  businesses: AsyncIterable<CipBusiness>,
): Promise<PackBusinesses> {
  const counts = { rows: 0, exported: 0, empty: 0, failed: 0, excluded: 0, watchlist_hits: 0 };
  const shown: PackBusinesses["shown"][number][] = [];
  const tables = new Map(KYB_TABLES.map(({ name, columns }) => [name, new RowSpool(duckdb, { columns })]));
  const spoolRows = async ({ onboardings, ...row }: CipBusiness): Promise<BusinessNumbers> => {
    const rows = kybRows(row, onboardings, exportId, sealer);
    for (const [name, spool] of tables) await spool.add(rows[name]);
    const insights = onboardings.filter(({ state }) => state === "found").length;
    return { onboardings: onboardings.length, insights, watchlist_hits: rows.business_watchlist_hits.length };
  };
  try {
    await files.write(BUSINESSES_FILE, async (out) => {
      await out(csvLine(COLUMNS));
      for await (const business of businesses) {
        const { status, onboardings } = business;
        const isKnown = status === "exported" || status === "empty" || onboardings.length > 0;
        const numbers = isKnown ? await spoolRows(business) : NO_NUMBERS;
        const row = { ...business, ...numbers };
        await out(csvLine(COLUMNS.map((name) => row[name])));
        counts.rows += 1;
        counts[row.status] += 1;
        counts.watchlist_hits += row.watchlist_hits;
        if (shown.length < MOST_SHOWN) shown.push(row);
      }
      return counts.rows;
    });
    for (const [name, spool] of tables) {
      const path = `${name}.parquet`;
      await files.add(path, await spool.writeParquet(await files.place(path)));
    }
  } finally {
    for (const spool of tables.values()) await spool.release();
  }
  return { counts, shown };
}
