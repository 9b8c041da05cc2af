import { join } from "node:path";
import { type Mask, maskOf } from "../../domain/bulk/cip/masking.js";
import { instantOf } from "../../domain/bulk/cip/report.js";
import { InputError } from "../../domain/failures.js";
import type { Sealer } from "../../domain/sealer.js";
import { HIDDEN } from "../../domain/service/external-id.js";
import { OUTCOMES_FILE } from "../../lake/bulk/pack/manifest.js";
import { readTables } from "../../lake/query/query-views.js";
import { csvFile, parquetFiles } from "../../lake/sql/duckdb-files.js";
import { sqlText } from "../../lake/sql/duckdb-sql.js";
import { cipReports } from "../../lake/tables/cip.js";
import { openColumn } from "../../lake/tables/encrypted-column.js";
import type { PackTools } from "./facts.js";

/** What matters most first. */
export const CHANGE_KINDS = [
  "clear_to_consider",
  "consider_to_clear",
  "changed",
  "added",
  "removed",
  "screened_again",
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export const CHANGE_COLUMNS = ["change", "fp_id", "external_id", "field", "before", "after", "note"] as const;

export type ListedChange = {
  readonly [C in Exclude<(typeof CHANGE_COLUMNS)[number], "change">]: string | null;
} & { readonly change: ChangeKind };

/** These differ in every export; an instant is compared by its text. */
const NOT_COMPARED = new Set<string>(["run_id", "fp_id", "asked", "asked_at"]);
const COMPARED = cipReports.columns
  .filter(({ name, type }) => type !== "TIMESTAMPTZ" && !NOT_COMPARED.has(name))
  .map(({ name }) => name);

/** Values that other texts of a report may quote. */
const QUOTED = [
  "checked_data_address",
  "checked_data_date_of_birth",
  "checked_data_tax_id",
  "ip_address",
] as const;
type Quoted = Readonly<Record<(typeof QUOTED)[number], string | null>> | null;

interface Change extends ListedChange {
  readonly quoted_before: Quoted;
  readonly quoted_after: Quoted;
}

export async function hasReportsOf(lake: PackTools["lake"], exportId: string): Promise<boolean> {
  const sql = `select 1 from cip_reports where run_id = ${sqlText(exportId)} limit 1`;
  return (await readTables(lake, [cipReports], (session) => session.rowsAtOnce(sql))).length > 0;
}

/**
 * The differences between an earlier export's reports in the lake and the pack in `directory`, what matters most first.
 */
export async function eachChange(
  { lake, sealer }: PackTools,
  { before, directory, unmasked }: Readonly<Record<"before" | "directory", string>> & { unmasked: boolean },
  each: (change: ListedChange) => Promise<void>,
): Promise<void> {
  await readTables(lake, [cipReports], async (sql) => {
    for await (const rows of sql.stream(changesSql(before, directory))) {
      for (const row of rows) {
        const change = listed(row as unknown as Change, sealer, unmasked);
        if (change !== undefined) await each(change);
      }
    }
  });
}

function changesSql(before: string, directory: string): string {
  const fields = COMPARED.map(
    (name, at) => `{nth: ${at}, field: ${sqlText(name)}, was: o.${name}::varchar, now: n.${name}::varchar}`,
  );
  const whole = "[{nth: 0, field: null::varchar, was: null::varchar, now: null::varchar}]";
  const quoted = (side: string) => `{${QUOTED.map((name) => `${name}: ${side}.${name}`).join(", ")}}`;
  const kinds = CHANGE_KINDS.map(sqlText).join(", ");
  return `with o as (select * from cip_reports where run_id = ${sqlText(before)}),
    n as (select * from ${parquetFiles([join(directory, `${cipReports.name}.parquet`)])}),
    c as (select coalesce(n.fp_id, o.fp_id) as fp_id, coalesce(n.external_id, o.external_id) as external_id,
        case when o.fp_id is null then 'added' when n.fp_id is null then 'removed' end as whole,
        unnest(case when o.fp_id is null or n.fp_id is null then ${whole}
          else list_filter([${fields.join(", ")}], lambda f: f.was is distinct from f.now) end) as f,
        ${quoted("o")} as quoted_before, ${quoted("n")} as quoted_after
      from o full join n on n.fp_id = o.fp_id)
    select coalesce(whole, case when f.was = 'clear' and f.now = 'consider' then 'clear_to_consider'
        when f.was = 'consider' and f.now = 'clear' then 'consider_to_clear'
        when f.field = 'watchlist_check_completed_at_text' then 'screened_again' else 'changed' end) as change,
      c.fp_id, c.external_id, f.field as field, f.was as before, f.now as after,
      case whole when 'added' then 'no report in the export before'
        when 'removed' then coalesce(s.status || ' in this export', 'not in the population any more') end as note,
      quoted_before, quoted_after
    from c left join ${csvFile(join(directory, OUTCOMES_FILE))} s on s.fp_id = c.fp_id
    order by list_position([${kinds}], change), c.fp_id, f.nth`;
}

const UNREADABLE = "not compared: one of the two is encrypted with a key that is not here";

/** A change, opened and masked; undefined for the same value under another key. */
function listed(
  { quoted_before, quoted_after, ...change }: Change,
  sealer: Sealer,
  unmasked: boolean,
): ListedChange | undefined {
  const { field, before, after } = change;
  if (field === null) return change;
  const [was, now] = [before, after].map((value) => opened(sealer, field, value));
  if (was === undefined || now === undefined)
    return { ...change, before: null, after: null, note: UNREADABLE };
  if (was === now) return undefined;
  if (unmasked || [was, now].every(quotesNothing)) return { ...change, before: was, after: now };
  const masks = [maskFor(quoted_before, sealer), maskFor(quoted_after, sealer)] as const;
  return { ...change, before: shown(field, was, masks), after: shown(field, now, masks) };
}

function quotesNothing(value: string | null): boolean {
  return value === null || value === "clear" || value === "consider" || instantOf(value) !== null;
}

/** Undefined where the key is gone. */
function opened(sealer: Sealer, field: string, value: string | null): string | null | undefined {
  try {
    return value && openColumn(sealer, cipReports.name, field, value);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return undefined;
  }
}

function maskFor(values: Quoted, sealer: Sealer): Mask {
  const clear = (name: (typeof QUOTED)[number]) => opened(sealer, name, values?.[name] ?? null) ?? "";
  return maskOf({
    checked_data: {
      address: clear("checked_data_address"),
      customer_name: "",
      date_of_birth: clear("checked_data_date_of_birth"),
      tax_id: clear("checked_data_tax_id"),
    },
    ip_address: clear("ip_address"),
  });
}

function shown(field: string, value: string | null, masks: readonly [Mask, Mask]): string | null {
  const [mask] = masks;
  if (value === null) return null;
  if (field === "checked_data_tax_id") return mask.taxId(value);
  if (field === "checked_data_date_of_birth") return mask.birthDate(value);
  if (field === "checked_data_address") return mask.address(value);
  if (field === "ip_address") return mask.ipAddress(value);
  // Their content is unknown.
  if (field === "other_fields") return HIDDEN;
  return masks.reduce((masked, { text }) => text(masked), value);
}
