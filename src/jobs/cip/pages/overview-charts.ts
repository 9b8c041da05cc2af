import type { CHANGE_KINDS } from "../../../domain/bulk/cip/changes.js";
import type { ChangeCounts } from "../changes/changes-spool.js";
import { barChart, columnChart } from "./charts.js";
import { OTHER_SOURCES, type Overview, SOURCED } from "./overview.js";
import { CHANGE_NAMES, ELEMENT_NAMES } from "./words.js";

/** More months than these are shown by year. */
const MOST_MONTHS = 14;
/** More years than these are counted in the first of them. */
const MOST_YEARS = 14;
const UNKNOWN = "unknown";

/** How often each element was `clear` and `consider`. */
export function resultChart({ verdicts }: Overview): string {
  const bars = [...verdicts].map(([element, { clear, consider }]) => ({
    label: ELEMENT_NAMES[element],
    parts: [
      { value: clear, tone: "clear" },
      { value: consider, tone: "consider" },
    ],
    text: consider === 0 ? `${clear} clear` : `${clear} · ${consider} consider`,
  }));
  return barChart({
    id: "result-by-element",
    title: "Result by element",
    words: bars.map(({ label, text }) => `${label}: ${text}`).join("; "),
    legend: [
      { tone: "clear", label: "clear" },
      { tone: "consider", label: "consider" },
    ],
    bars,
  });
}

/** How many reports name each source, by what it confirmed. */
export function sourcesChart({ sources }: Overview): string {
  const total = (counts: Readonly<Record<string, number>>) =>
    SOURCED.reduce((sum, one) => sum + (counts[one] ?? 0), 0);
  const last = (name: string) => (name === OTHER_SOURCES ? 1 : 0);
  const bars = [...sources]
    .sort(([a, x], [b, y]) => last(a) - last(b) || total(y) - total(x) || (a < b ? -1 : 1))
    .map(([source, counts]) => ({
      label: source,
      parts: SOURCED.map((element, index) => ({ value: counts[element], tone: "abc".charAt(index) })),
      text: String(total(counts)),
    }));
  return barChart({
    id: "sources-used",
    title: "Sources used",
    words: bars.map(({ label, text }) => `${label}: ${text}`).join("; "),
    legend: SOURCED.map((element, index) => ({ tone: "abc".charAt(index), label: ELEMENT_NAMES[element] })),
    bars,
  });
}

/** Approvals by month, or by year where there are many months. */
export function approvalsChart({ approvals }: Overview): string {
  const byYear = approvals.size > MOST_MONTHS;
  const counts = new Map<string, { automatic: number; manual: number }>();
  const years = [...new Set([...approvals.keys()].map((month) => month.slice(0, 4)))]
    .sort()
    .slice(-MOST_YEARS);
  const labelOf = (month: string) => {
    if (month === "") return UNKNOWN;
    if (!byYear) return month;
    const year = month.slice(0, 4);
    return years.includes(year) ? year : `≤ ${years[0]}`;
  };
  for (const [month, { automatic, manual }] of [...approvals].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const label = labelOf(month);
    const sum = counts.get(label) ?? { automatic: 0, manual: 0 };
    counts.set(label, { automatic: sum.automatic + automatic, manual: sum.manual + manual });
  }
  const bars = [...counts].map(([label, { automatic, manual }]) => ({
    label: byYear || label === UNKNOWN ? label : `${label.slice(5)}/${label.slice(2, 4)}`,
    parts: [
      { value: automatic, tone: "a" },
      { value: manual, tone: "c" },
    ],
    text: String(automatic + manual),
  }));
  return columnChart({
    id: "approvals-over-time",
    title: `Approvals by ${byYear ? "year" : "month"}`,
    words: bars.map(({ label, text }) => `${label}: ${text}`).join("; "),
    legend: [
      { tone: "a", label: "automatic" },
      { tone: "c", label: "manual" },
    ],
    bars,
  });
}

const CHANGE_TONES = {
  clear_to_consider: "consider",
  consider_to_clear: "clear",
  changed: "a",
  added: "b",
  removed: "c",
} as const satisfies Partial<Readonly<Record<(typeof CHANGE_KINDS)[number], string>>>;

/** How many people's reports changed since the pack before; a new screening alone is no change. */
export function changesChart(counts: ChangeCounts, previous: string): string {
  const bars = (Object.keys(CHANGE_TONES) as (keyof typeof CHANGE_TONES)[]).map((kind) => ({
    label: CHANGE_NAMES[kind],
    parts: [{ value: counts[kind], tone: CHANGE_TONES[kind] }],
    text: String(counts[kind]),
  }));
  return barChart({
    id: "changes",
    title: `Changes since ${previous}, people`,
    words: bars.map(({ label, text }) => `${label}: ${text}`).join("; "),
    legend: [],
    bars,
  });
}
