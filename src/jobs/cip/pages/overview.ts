import type { ChangeKind } from "../../../domain/bulk/cip/changes.js";
import { EXCEPTION_KINDS, type ExceptionKind, type RulePart } from "../../../domain/bulk/cip/exceptions.js";
import { CIP_ELEMENTS, type CipElement, findingsOf, instantOf } from "../../../domain/bulk/cip/report.js";
import { barChart, columnChart } from "../../../pages/charts.js";
import type { ChangeCounts } from "../changes/changes-spool.js";
import type { JudgedMember } from "../member-lines.js";
import { codeInWords } from "./values.js";
import { CHANGE_NAMES, ELEMENT_NAMES } from "./words.js";

/** The elements whose verdict rests on named sources. */
const SOURCED = ["date_of_birth", "matched_address", "tax_id"] as const;
type Sourced = (typeof SOURCED)[number];

/** The service documents sixteen; more are counted together. */
const MOST_SOURCES = 30;
const OTHER_SOURCES = "other sources";

/** Numbers over all members; their size does not grow with the members. */
export class Overview {
  readonly verdicts = new Map<CipElement, { clear: number; consider: number }>(
    CIP_ELEMENTS.map((element) => [element, { clear: 0, consider: 0 }]),
  );
  readonly sources = new Map<string, Record<Sourced, number>>();
  /** By month, as `2026-01`; "" where the time of approval is not an instant. */
  readonly approvals = new Map<string, { automatic: number; manual: number }>();
  readonly approvedBy = { automatic: 0, manual: 0 };
  /** Exceptions by kind, and the members who have one. */
  readonly exceptions = new Map<ExceptionKind, { rows: number; members: number }>(
    EXCEPTION_KINDS.map((kind) => [kind, { rows: 0, members: 0 }]),
  );
  readonly missing: Record<RulePart, number> = { A: 0, B: 0, C: 0, D: 0 };
  /** Members with a `consider` anywhere. */
  considered = 0;
  /** Members under a legal hold. */
  onHold = 0;
  /** Members of whom the roster does not say whether they are. */
  holdUnknown = 0;
  /** Members who were asked for more than once. */
  askedAgain = 0;

  add({ member, exceptions, approval }: JudgedMember): void {
    if (member.asked > 1) this.askedAgain += 1;
    if (member.legalHold) this.onHold += 1;
    if (member.legalHold === null) this.holdUnknown += 1;
    for (const [kind, counts] of this.exceptions) {
      const rows = exceptions.filter((one) => one.kind === kind).length;
      counts.rows += rows;
      counts.members += rows > 0 ? 1 : 0;
    }
    for (const part of ["A", "C", "D"] as const) {
      if (exceptions.some((one) => one.kind === "missing" && one.part === part)) this.missing[part] += 1;
    }
    const { report } = member;
    if (report === null || approval === null) return;
    this.missing.B += 1;
    const findings = findingsOf(report);
    for (const { element, verdict } of findings) {
      const counts = this.verdicts.get(element);
      if (counts !== undefined) counts[verdict] += 1;
    }
    if (findings.some(({ verdict }) => verdict === "consider")) this.considered += 1;
    this.approvedBy[approval] += 1;
    const month = instantOf(report.approved_at)?.slice(0, 7) ?? "";
    const approvals = this.approvals.get(month) ?? { automatic: 0, manual: 0 };
    approvals[approval] += 1;
    this.approvals.set(month, approvals);
    for (const element of SOURCED) {
      const { sources = null } = findings.find((one) => one.element === element) ?? {};
      for (const source of new Set(sources ?? [])) this.#count(source, element);
    }
  }

  #count(source: string, element: Sourced): void {
    const known = this.sources.has(source) || this.sources.size < MOST_SOURCES;
    const name = known ? source : OTHER_SOURCES;
    const counts = this.sources.get(name) ?? { date_of_birth: 0, matched_address: 0, tax_id: 0 };
    counts[element] += 1;
    this.sources.set(name, counts);
  }
}

/** More months than these are shown by year. */
const MOST_MONTHS = 14;
/** Years before the last of these are counted together. */
const MOST_YEARS = 14;
const UNKNOWN = "unknown";

export function chartsSection(overview: Overview, changes: ChangeCounts, previous: string | null): string {
  return [
    `<section aria-labelledby="charts"><h2 id="charts">Overview</h2><div class="charts">\n`,
    resultChart(overview),
    sourcesChart(overview),
    approvalsChart(overview),
    ...(previous === null ? [] : [changesChart(changes, previous)]),
    "</div></section>\n",
  ].join("");
}

/** How often each element was `clear` and `consider`. */
function resultChart({ verdicts }: Overview): string {
  return barChart({
    id: "result-by-element",
    title: "Result by element",
    series: ["clear", "consider"].map((tone) => ({ tone, label: tone })),
    bars: [...verdicts].map(([element, { clear, consider }]) => ({
      label: ELEMENT_NAMES[element],
      values: [clear, consider],
      text: consider === 0 ? `${clear} clear` : `${clear} · ${consider} consider`,
    })),
  });
}

/** How many reports name each source, by what it confirmed. */
function sourcesChart({ sources }: Overview): string {
  const bars = [...sources].map(([source, counts]) => ({
    label: codeInWords(source),
    values: SOURCED.map((one) => counts[one]),
  }));
  const total = ({ values }: (typeof bars)[number]) => values.reduce((sum, value) => sum + value, 0);
  const isRest = ({ label }: (typeof bars)[number]) => Number(label === OTHER_SOURCES);
  return barChart({
    id: "sources-used",
    title: "Sources used",
    series: SOURCED.map((element, at) => ({ tone: "abc".charAt(at), label: ELEMENT_NAMES[element] })),
    bars: bars.sort((a, b) => isRest(a) - isRest(b) || total(b) - total(a) || (a.label < b.label ? -1 : 1)),
  });
}

/** Approvals by month, or by year where there are many months. */
function approvalsChart({ approvals }: Overview): string {
  const byYear = approvals.size > MOST_MONTHS;
  const months = [...approvals].sort(([a], [b]) => (a < b ? -1 : 1));
  const years = [...new Set(months.map(([month]) => month.slice(0, 4)))].slice(-MOST_YEARS);
  const labelOf = (month: string) => {
    const [year, number] = [month.slice(0, 4), month.slice(5)];
    if (month === "") return UNKNOWN;
    if (!byYear) return `${number}/${year.slice(2)}`;
    return years.includes(year) ? year : `≤ ${years[0]}`;
  };
  const counts = new Map<string, [automatic: number, manual: number]>();
  for (const [month, { automatic, manual }] of months) {
    const [a, b] = counts.get(labelOf(month)) ?? [0, 0];
    counts.set(labelOf(month), [a + automatic, b + manual]);
  }
  return columnChart({
    id: "approvals-over-time",
    title: `Approvals by ${byYear ? "year" : "month"}`,
    series: [
      { tone: "a", label: "automatic" },
      { tone: "c", label: "manual" },
    ],
    bars: [...counts].map(([label, values]) => ({ label, values })),
  });
}

const CHANGE_TONES = {
  clear_to_consider: "consider",
  consider_to_clear: "clear",
  changed: "a",
  added: "b",
  removed: "c",
} as const satisfies Partial<Readonly<Record<ChangeKind, string>>>;

/** How many people's reports changed since the pack before; a new screening alone is no change. */
function changesChart(counts: ChangeCounts, previous: string): string {
  const kinds = Object.keys(CHANGE_TONES) as (keyof typeof CHANGE_TONES)[];
  return barChart({
    id: "changes",
    title: `Changes since ${previous}, people`,
    series: kinds.map((kind) => ({ tone: CHANGE_TONES[kind] })),
    bars: kinds.map((kind) => ({
      label: CHANGE_NAMES[kind],
      values: kinds.map((one) => (one === kind ? counts[kind] : 0)),
    })),
  });
}
