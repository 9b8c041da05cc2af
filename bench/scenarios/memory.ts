import { runFigures } from "../run-figures.js";
import { type Figure, inArena, type Scenario } from "../scenario.js";
import { runSync } from "../sync-command.js";

const MOST_MB = 400;

/** One link that grows: memory must not. */
export const memory: Scenario = {
  name: "memory",
  title: "one link with 200,000, 1,000,000 and 5,000,000 rows",
  async run({ quick, report }) {
    const figures: Figure[] = [];
    for (const rows of quick ? [20_000, 100_000] : [200_000, 1_000_000, 5_000_000]) {
      report(`${rows} rows`);
      const run = await inArena({ users: 1, linksPerUser: 1, rows }, async (arena) =>
        runSync({ ...arena, directory: await arena.directory(), concurrency: 32 }),
      );
      figures.push({
        scenario: memory.name,
        variant: `${rows} rows`,
        measured: { ...runFigures(run), rows_per_second: rows / run.seconds },
        target: `peak memory ≤ ${MOST_MB} MB, not growing with the rows`,
        met: run.process.peakRssMb <= MOST_MB,
      });
    }
    return figures;
  },
};
