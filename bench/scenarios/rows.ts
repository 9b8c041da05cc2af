import { type Ceiling, measureCeiling } from "../ceiling.js";
import { runFigures } from "../run-figures.js";
import { type Figure, inArena, median, medianRun, type Scenario } from "../scenario.js";
import { runSync, type SyncRun } from "../sync-command.js";

const CONCURRENCY = 32;
const LEAST_RATIO = 0.4;
/** Of the command, without Temporal. */
const MOST_CPU_SECONDS = 24;

/** A sync and the ceiling that was measured right before it. */
interface Pair {
  readonly ceiling: Ceiling;
  readonly sync: SyncRun;
  readonly seconds: number;
  readonly ratio: number;
}

/** Many rows, no latency: how much of what fetching and parsing alone reach is left. */
export const rows: Scenario = {
  name: "rows",
  title: "20 links × 50,000 rows, no latency",
  async run({ quick, runs, report }) {
    const perLink = quick ? 5_000 : 50_000;
    return inArena({ users: 20, linksPerUser: 1, rows: perLink }, async (arena) => {
      const pairs: Pair[] = [];
      for (let number = 1; number <= runs; number += 1) {
        report(`run ${number} of ${runs}`);
        const ceiling = await measureCeiling(arena.standIn, arena.roster, CONCURRENCY);
        const directory = await arena.directory();
        const sync = await runSync({ ...arena, directory, concurrency: CONCURRENCY });
        await arena.clear(directory);
        pairs.push({ ceiling, sync, seconds: sync.seconds, ratio: ceiling.seconds / sync.seconds });
      }
      const { ceiling, sync } = medianRun(pairs);
      // The median of the pairs' ratios: what else the machine does slows both of a pair.
      const ratio = median(pairs.map((pair) => pair.ratio));
      const total = 20 * perLink;
      const figure: Figure = {
        scenario: rows.name,
        variant: `20 × ${perLink}`,
        measured: {
          ...runFigures(sync),
          rows_per_second: total / sync.seconds,
          ceiling_seconds: ceiling.seconds,
          ceiling_rows_per_second: ceiling.rows / ceiling.seconds,
          largest_peak_rss_mb: Math.max(...pairs.map((pair) => pair.sync.process.peakRssMb)),
        },
        ratio,
        target: `≥ ${LEAST_RATIO} of the ceiling's rows/s, ≤ ${MOST_CPU_SECONDS} s of CPU`,
        met: ratio >= LEAST_RATIO && sync.process.cpuSeconds <= MOST_CPU_SECONDS,
      };
      return [figure];
    });
  },
};
