import { columnChart } from "../../../pages/charts.js";
import type { Markup } from "../../../pages/parts.js";
import type { RunDay } from "../../runs/ended-runs.js";

/** Draws how many runs ended, and how many rows they changed, on each day. */
export function dayCharts(days: readonly RunDay[]): Markup {
  const compact = new Intl.NumberFormat("en", { notation: "compact" });
  const bars = (values: (day: RunDay) => readonly number[], text: (day: RunDay) => string) =>
    days.map((day) => ({ label: day.day.slice(8), values: values(day), text: text(day) }));
  const period = `${days[0]?.day} to ${days.at(-1)?.day} (UTC)`;
  const runSeries = [
    { tone: "a", label: "completed" },
    { tone: "consider", label: "failed, or with failures" },
    { tone: "c", label: "cancelled" },
  ];
  const html = [
    columnChart({
      ...{ id: "runs-a-day", title: `Runs, ${period}`, series: runSeries },
      bars: bars(
        ({ completed, failed, cancelled }) => [completed, failed, cancelled],
        ({ completed, failed, cancelled }) => String(completed + failed + cancelled),
      ),
    }),
    columnChart({
      ...{ id: "rows-a-day", title: `Rows created, updated or removed, ${period}`, series: [{ tone: "a" }] },
      bars: bars(
        ({ rows }) => [rows],
        ({ rows }) => compact.format(rows),
      ),
    }),
  ].join("");
  return { html: `<div class="charts">${html}</div>\n` };
}
