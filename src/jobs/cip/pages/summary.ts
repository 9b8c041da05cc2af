import { NOT_COVERED } from "../../../domain/bulk/cip/exceptions.js";
import type { PackCounts } from "../../../lake/bulk/pack/manifest.js";
import type { ChangeCounts, ListedChange } from "../changes/changes-spool.js";
import type { ListedException } from "../exceptions-spool.js";
import type { PackFacts } from "../facts.js";
import { ITEM_SEPARATOR } from "../rows.js";
import type { Overview } from "./overview.js";
import { changesPart, exceptionsPart, summaryNumbers } from "./summary-template.js";
import { codeInWords, reasonInWords, withTimes } from "./values.js";
import { CHANGE_NAMES, fieldName, KIND_NAMES } from "./words.js";

/** Fields that list sources. */
const SOURCE_LISTS = new Set(["date_of_birth_breakdown", "matched_addresses", "tax_id_breakdown"]);

/** The beginning of the report: headline numbers, completeness, exceptions by kind. */
export function numbersPart(overview: Overview, counts: PackCounts, facts: PackFacts): string {
  const plain = (value: number, label: string) => ({ value, label, tone: "" });
  const bad = (value: number, label: string) => ({ value, label, tone: value > 0 ? "bad" : "" });
  const unknown = overview.holdUnknown > 0 ? `; of ${overview.holdUnknown} it is not known` : "";
  return summaryNumbers({
    counts,
    complete: counts.failed === 0,
    askedAgain: overview.askedAgain,
    populationSha256: facts.population.sha256,
    notCovered: NOT_COVERED.detail.replace(/^not covered here: /, ""),
    missing: overview.missing,
    numbers: [
      plain(counts.population, "people in the population"),
      bad(overview.onHold, `under a legal hold${unknown}`),
      plain(counts.exported, "exported"),
      bad(counts.failed, "without a report"),
      plain(counts.excluded, "excluded"),
      bad(overview.considered, "with a consider"),
      bad(overview.exceptions.get("missing")?.members ?? 0, "with something missing"),
      plain(overview.approvedBy.automatic, "approved automatically"),
      plain(overview.approvedBy.manual, "approved by a reviewer"),
    ],
    kinds: [...overview.exceptions].map(([kind, one]) => ({ name: KIND_NAMES[kind], ...one })),
  });
}

export function exceptionsTable(
  rows: readonly ListedException[],
  hrefOf: (position: number) => string,
): string {
  return exceptionsPart({
    rows: rows.map((row) => ({
      ...row,
      ids: [row.external_id, row.name && row.fp_id].filter(Boolean).join(" · "),
      href: hrefOf(row.position),
      isConsider: row.kind === "consider",
      kind: KIND_NAMES[row.kind as keyof typeof KIND_NAMES],
      element: fieldName(row.element ?? ""),
      detail: row.kind === "consider" ? null : withTimes(reasonInWords(row.detail ?? "")).html,
      sources: row.sources?.split(" ").map(codeInWords).join(", "),
    })),
  });
}

/** The gravest changes since the pack before. */
export function changesSection(
  rows: readonly ListedChange[],
  more: boolean,
  { screened_again: screenedAgain }: ChangeCounts,
  previous: string | null,
): string {
  const shown = rows.map((row) => ({
    ...row,
    grave: row.change === "clear_to_consider",
    who: row.external_id ?? row.fp_id,
    ids: row.external_id && row.fp_id,
    change: CHANGE_NAMES[row.change],
    field: row.field && fieldName(row.field),
    before: changedValue(row.field, row.before),
    after: changedValue(row.field, row.after),
  }));
  return changesPart({ previous, more, screenedAgain, rows: shown });
}

/** A value before or after a change, as the person's section shows it. */
function changedValue(field: string | null, value: string | null): string | null {
  if (value === null) return null;
  const hasCodes = SOURCE_LISTS.has(field ?? "") || field?.startsWith("self_reported_");
  const items = hasCodes ? value.split(ITEM_SEPARATOR).map(codeInWords) : [value];
  return withTimes(items.join(", ")).html;
}
