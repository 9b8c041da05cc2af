import { measureCeiling } from "../ceiling.js";
import { runFigures } from "../run-figures.js";
import { type Figure, inArena, medianRun, type Scenario } from "../scenario.js";
import { runSync } from "../sync-command.js";

const CONCURRENCY = 32;

/** Many rows, no latency: how much of what fetching and parsing alone reach is left. */
export const rows: Scenario = {
  name: "rows",
  title: "20 links × 50,000 rows, no latency",
  async run({ quick, runs, report }) {
    const perLink = quick ? 5_000 : 50_000;
    return inArena({ users: 20, linksPerUser: 1, rows: perLink }, async (arena) => {
      const ceilings = [];
      const syncs = [];
      for (let number = 1; number <= runs; number += 1) {
        report(`run ${number} of ${runs}`);
        ceilings.push(await measureCeiling(arena.standIn, arena.roster, CONCURRENCY));
        const directory = await arena.directory();
        syncs.push(await runSync({ ...arena, directory, concurrency: CONCURRENCY }));
        await arena.clear(directory);
      }
      const ceiling = medianRun(ceilings);
      const sync = medianRun(syncs);
      const total = 20 * perLink;
      const ratio = total / sync.seconds / (ceiling.rows / ceiling.seconds);
      const figure: Figure = {
        scenario: rows.name,
        variant: `20 × ${perLink}`,
        measured: {
          ...runFigures(sync),
          rows_per_second: total / sync.seconds,
          ceiling_seconds: ceiling.seconds,
          ceiling_rows_per_second: ceiling.rows / ceiling.seconds,
          largest_peak_rss_mb: Math.max(...syncs.map((run) => run.process.peakRssMb)),
        },
        ratio,
        target: "≥ 0.25 of the ceiling's rows/s, aim 0.4",
        met: ratio >= 0.25,
      };
      return [figure];
    });
  },
};
