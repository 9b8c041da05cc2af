import { NOT_COVERED } from "../../../domain/bulk/cip/exceptions.js";
import type { PackCounts } from "../../../lake/bulk/pack/manifest.js";
import type { ChangeCounts, ListedChange } from "../changes/changes-spool.js";
import type { ListedException } from "../exceptions-spool.js";
import type { PackFacts } from "../facts.js";
import type { Overview } from "./overview.js";
import { changesPart, exceptionsPart, summaryNumbers } from "./summary-template.js";
import { CHANGE_NAMES, elementName, KIND_NAMES } from "./words.js";

/** The beginning of the report: headline numbers, completeness, exceptions by kind. */
export function numbersPart(overview: Overview, counts: PackCounts, facts: PackFacts): string {
  const plain = (value: number, label: string) => ({ value, label, tone: "" });
  const bad = (value: number, label: string) => ({ value, label, tone: value > 0 ? "bad" : "" });
  return summaryNumbers({
    counts,
    complete: counts.failed === 0,
    askedAgain: overview.askedAgain,
    populationSha256: facts.population.sha256,
    notCovered: NOT_COVERED.detail.replace(/^not covered here: /, ""),
    missing: overview.missing,
    numbers: [
      plain(counts.population, "people in the population"),
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
      href: hrefOf(row.position),
      isConsider: row.kind === "consider",
      kind: KIND_NAMES[row.kind as keyof typeof KIND_NAMES],
      element: elementName(row.element ?? ""),
      detail: row.kind === "consider" ? null : row.detail,
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
    change: CHANGE_NAMES[row.change],
  }));
  return changesPart({ previous, more, screenedAgain, rows: shown });
}
