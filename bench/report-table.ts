import Table from "cli-table3";
import type { Figure } from "./scenario.js";

/** The figures as a table for people: each beside its target. */
export function reportTable(figures: readonly Figure[]): string {
  const table = new Table({
    head: ["scenario", "variant", "ratio", "target", "met", "measured"],
    colWidths: [14, 22, 8, 26, 5, 72],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { scenario, variant, ratio, target, met, measured } of figures) {
    const parts = Object.entries(measured).map(([name, value]) => `${name} ${rounded(value)}`);
    table.push([
      scenario,
      variant,
      ratio === undefined ? "" : ratio.toFixed(3),
      target ?? "",
      met === undefined ? "" : met ? "yes" : "NO",
      parts.join(", "),
    ]);
  }
  return table.toString();
}

function rounded(value: number): string {
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : String(Number(value.toFixed(2)));
}
