import { showRows } from "../src/cli/lake/row-table.js";
import { processTerminal } from "../src/cli/terminal/terminal.js";
import type { Figure } from "./scenario.js";

/** Shows the figures as a table for people: each beside its target. */
export function showFigures(figures: readonly Figure[]): void {
  const rows = figures.map(({ scenario, variant, ratio, target, met, measured }) => {
    const parts = Object.entries(measured).map(([name, value]) => `${name} ${rounded(value)}`);
    return {
      scenario,
      variant,
      ratio: ratio === undefined ? "" : ratio.toFixed(3),
      target: target ?? "",
      met: met === undefined ? "" : met ? "yes" : "NO",
      measured: parts.join(", "),
    };
  });
  showRows(processTerminal(), rows, { flags: { wide: true } });
}

function rounded(value: number): string {
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : String(Number(value.toFixed(2)));
}
