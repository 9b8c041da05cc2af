import type { TableSpec } from "../../delta/delta-schema.js";
import { type LakeReader, readTables } from "../../query/query-views.js";
import { sqlList, sqlText } from "../../sql/duckdb-sql.js";
import { erasures, holds } from "../../tables/erasures.js";
import { businessInsights, KYB_TABLES } from "../../tables/kyb.js";
import { linkSyncs } from "../../tables/link-syncs.js";
import { onboardingEvents, onboardings } from "../../tables/onboardings.js";
import { runFailures } from "../../tables/runs.js";
import { transactionImports } from "../../tables/transaction-imports.js";
import type { Erasing } from "./erase-rows.js";

/** Tables that keep what they say of a person: the proofs of what was there, and of what became of it. */
const kept = new Set<TableSpec>([linkSyncs, erasures, holds]);
const ofKyb = new Set<TableSpec>(KYB_TABLES);

/** A table, and SQL of its rows that are about a person; of some, only what the roster calls the person goes. */
type PersonRows = Pick<Erasing, "spec" | "condition" | "blank">;

/**
 * Finds which rows are about a person (docs/run/operate.md, "Forget a person"). Tables whose rows are known only by those
 * of others come before these.
 *
 * @param links the person's bank links
 */
export async function personRows(
  lake: LakeReader,
  tables: readonly TableSpec[],
  fpId: string,
  links: readonly string[],
): Promise<PersonRows[]> {
  const own = `fp_id = ${sqlText(fpId)}`;
  const known = await readTables(lake, [onboardings, businessInsights], async (sql) => ({
    batches: await sql.rows(`select distinct batch_id, line from onboardings where ${own}`),
    businesses: await sql.rows(`select distinct fp_bid, onboarding_id from business_insights where ${own}`),
  }));
  const batchRows = known.batches.map((row) => `(${sqlText(String(row.batch_id))}, ${Number(row.line)})`);
  const businesses = known.businesses.map(
    (row) => `(${sqlText(String(row.fp_bid))}, ${sqlText(String(row.onboarding_id ?? ""))})`,
  );
  const ofRows = within("batch_id, line", batchRows);
  const ofBusinesses = within("fp_bid, coalesce(onboarding_id, '')", businesses);
  const byOthers = (spec: TableSpec): string | undefined => {
    if (spec === transactionImports) return links.length === 0 ? "false" : `link_id in ${sqlList(links)}`;
    if (spec === onboardingEvents) return ofRows;
    return spec !== businessInsights && ofKyb.has(spec) ? ofBusinesses : undefined;
  };
  const byOwn = (spec: TableSpec): string | undefined => {
    if (spec === runFailures) return `owner = ${sqlText(fpId)}`;
    // Earlier attempts of a row may have no fp_id yet.
    if (spec === onboardings) return `${own} or ${ofRows}`;
    return spec.columns.some(({ name }) => name === "fp_id") ? own : undefined;
  };
  const named = { spec: linkSyncs, condition: own, blank: ["external_id"] };
  return [byOthers, byOwn]
    .flatMap<PersonRows>((conditionOf) =>
      tables.flatMap((spec) => {
        const condition = kept.has(spec) ? undefined : conditionOf(spec);
        const isFirst = conditionOf === byOthers || byOthers(spec) === undefined;
        return condition === undefined || !isFirst ? [] : [{ spec, condition }];
      }),
    )
    .concat(named);
}

function within(columns: string, rows: readonly string[]): string {
  return rows.length === 0 ? "false" : `(${columns}) in (${rows.join(", ")})`;
}
