import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { REPOSITORY } from "./command-process.js";
import { describeMachine } from "./machine.js";
import { showFigures } from "./report-table.js";
import type { Figure, Scenario } from "./scenario.js";
import { importRows } from "./scenarios/import.js";
import { kill } from "./scenarios/kill.js";
import { memory } from "./scenarios/memory.js";
import { onboard } from "./scenarios/onboard.js";
import { quiet } from "./scenarios/quiet.js";
import { rows } from "./scenarios/rows.js";
import { scale } from "./scenarios/scale.js";
import { secondNight } from "./scenarios/second-night.js";

const SCENARIOS: readonly Scenario[] = [quiet, rows, secondNight, memory, scale, kill, onboard, importRows];
const RESULTS = join(REPOSITORY, "bench", "results.json");

/** Measures the scenarios asked for, prints them as a table and writes `bench/results.json`. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true },
      quick: { type: "boolean", default: false },
      runs: { type: "string", default: "3" },
    },
  });
  const unknown = (values.only ?? []).find((name) => !SCENARIOS.some((scenario) => scenario.name === name));
  const runs = values.quick ? 1 : Number(values.runs);
  if (unknown !== undefined || !Number.isInteger(runs) || runs < 1) {
    const names = SCENARIOS.map(({ name }) => name).join(", ");
    process.stderr.write(
      `${unknown === undefined ? "--runs takes a number from 1" : `--only ${unknown}: unknown`}; nothing was measured. Scenarios: ${names}\n`,
    );
    return 2;
  }
  const machine = describeMachine();
  const chosen = SCENARIOS.filter(({ name }) => values.only?.includes(name) ?? true);
  const figures: Figure[] = [];
  const failed: string[] = [];
  for (const scenario of chosen) {
    const report = (text: string) => process.stderr.write(`${scenario.name}: ${text}\n`);
    report(scenario.title);
    try {
      const measured = await scenario.run({ quick: values.quick, runs, report });
      // Targets are for the whole sizes: small ones say nothing of them.
      figures.push(...(values.quick ? measured.map(({ met: _, ...figure }) => figure) : measured));
    } catch (error) {
      failed.push(scenario.name);
      report(`not measured: ${(error as Error).message}`);
    }
  }
  const results = {
    measured_at: new Date().toISOString(),
    quick: values.quick,
    runs,
    machine,
    figures,
    failed,
  };
  await writeFile(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
  const { cpu, cores, node, load } = machine;
  process.stdout.write(`${cores} × ${cpu}, node ${node}, load before ${load.toFixed(1)}\n`);
  showFigures(figures);
  process.stdout.write(`${RESULTS}\n`);
  return failed.length === 0 ? 0 : 1;
}

process.exitCode = await main();
