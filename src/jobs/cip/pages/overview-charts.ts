import type { ChangeKind } from "../../../domain/bulk/cip/changes.js";
import { barChart, columnChart } from "../../../pages/charts.js";
import type { ChangeCounts } from "../changes/changes-spool.js";
import { OTHER_SOURCES, type Overview, SOURCED } from "./overview.js";
import { codeInWords } from "./values.js";
import { CHANGE_NAMES, ELEMENT_NAMES } from "./words.js";

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
