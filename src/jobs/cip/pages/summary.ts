import { NOT_COVERED } from "../../../domain/bulk/cip/exceptions.js";
import type { PackCounts } from "../../../lake/bulk/pack/manifest.js";
import type { ChangeCounts, ListedChange } from "../changes/changes-spool.js";
import type { ListedException } from "../exceptions-spool.js";
import type { PackFacts } from "../facts.js";
import type { Overview } from "./overview.js";
import { approvalsChart, changesChart, resultChart, sourcesChart } from "./overview-charts.js";
import { changesPart, exceptionRows, summaryNumbers } from "./summary-template.js";
import { CHANGE_NAMES, elementName, KIND_NAMES } from "./words.js";

/** The beginning of the report: headline numbers, completeness, exceptions by kind. */
export function numbersPart(overview: Overview, counts: PackCounts, facts: PackFacts): string {
  const { automatic, manual } = overview.approvedBy;
  const members = (kind: "missing" | "approved_before_check" | "check_older_than_a_year") =>
    overview.exceptions.get(kind)?.members ?? 0;
  return summaryNumbers({
    counts,
    complete: counts.failed === 0,
    askedAgain: overview.askedAgain,
    populationSha256: facts.population.sha256,
    notCovered: NOT_COVERED.detail.replace(/^not covered here: /, ""),
    missing: overview.missing,
    numbers: [
      { value: counts.population, label: "people in the population", tone: "" },
      { value: counts.exported, label: "exported", tone: "" },
      { value: counts.failed, label: "without a report", tone: counts.failed > 0 ? "bad" : "" },
      { value: counts.excluded, label: "excluded", tone: "" },
      { value: overview.considered, label: "with a consider", tone: overview.considered > 0 ? "bad" : "" },
      {
        value: members("missing"),
        label: "with something missing",
        tone: members("missing") > 0 ? "bad" : "",
      },
      { value: automatic, label: "approved automatically", tone: "" },
      { value: manual, label: "approved by a reviewer", tone: "" },
    ],
    kinds: [...overview.exceptions].map(([kind, one]) => ({ name: KIND_NAMES[kind], ...one })),
  });
}

/** Rows of a table of exceptions. */
export function exceptionsPart(
  rows: readonly ListedException[],
  hrefOf: (position: number) => string,
): string {
  return exceptionRows({
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

/** The charts over all members. */
export function chartsPart(overview: Overview, changes: ChangeCounts, previous: string | null): string {
  return [
    `<section aria-labelledby="charts"><h2 id="charts">Overview</h2><div class="charts">\n`,
    resultChart(overview),
    sourcesChart(overview),
    approvalsChart(overview),
    ...(previous === null ? [] : [changesChart(changes, previous)]),
    "</div></section>\n",
  ].join("");
}

/** The gravest changes since the pack before. */
export function changesShown(
  rows: readonly ListedChange[],
  more: boolean,
  changes: ChangeCounts,
  previous: string | null,
): string {
  return changesPart({
    previous,
    more,
    screenedAgain: changes.screened_again,
    rows: rows.map((row) => ({
      ...row,
      grave: row.change === "clear_to_consider",
      change: CHANGE_NAMES[row.change as keyof typeof CHANGE_NAMES],
    })),
  });
}
