import { type LogBytes, lakeFiles, logBytes } from "../lake-files.js";
import { runFigures } from "../run-figures.js";
import { type Arena, type Figure, inArena, type Scenario } from "../scenario.js";
import { runSync, type SyncRun } from "../sync-command.js";

const CONCURRENCY = 64;
const MOST_MB = 400;
const MOST_GROWTH = 1.1;

/** A night over all links. */
interface Night {
  readonly sync: SyncRun;
  readonly log: LogBytes;
}

/** More and more links: the memory must not follow them, nor what each of them costs. */
export const scale: Scenario = {
  name: "scale",
  title: "1,000, 20,000 and 100,000 links: a first night and a quiet one",
  async run({ quick, report }) {
    const figures: Figure[] = [];
    const smallest = new Map<string, SyncRun>();
    for (const links of quick ? [500, 2_000] : [1_000, 20_000, 100_000]) {
      await inArena({ users: links, linksPerUser: 1, rows: 5 }, async (arena) => {
        const directory = await arena.directory();
        for (const name of ["first night", "quiet night"]) {
          report(`${links} links: ${name}`);
          const night = await oneNight(arena, directory);
          const first = smallest.get(name) ?? night.sync;
          smallest.set(name, first);
          figures.push(figureOf(`${links} links, ${name}`, links, night, first));
        }
      });
    }
    return figures;
  },
};

async function oneNight({ standIn, roster }: Arena, directory: string): Promise<Night> {
  const sync = await runSync({ standIn, roster, directory, concurrency: CONCURRENCY });
  return { sync, log: logBytes(await lakeFiles(directory), "transaction_changes") };
}

function figureOf(variant: string, links: number, { sync, log }: Night, first: SyncRun): Figure {
  const { calls } = sync.summary;
  const peak = sync.process.peakRssMb;
  const growth = peak / first.process.peakRssMb;
  return {
    scenario: scale.name,
    variant,
    measured: {
      ...runFigures(sync),
      seconds_per_1000_links: (sync.seconds * 1000) / links,
      cpu_ms_per_call: ((sync.process.cpuSeconds + sync.temporal.cpuSeconds) * 1000) / calls,
      temporal_peak_rss_mb: sync.temporal.peakRssMb,
      log_bytes: log.total,
      changes_log_bytes: log.ofTable,
      changes_checkpoint_bytes: log.checkpoint,
    },
    ratio: growth,
    target: `peak memory ≤ ${MOST_MB} MB, ≤ ${MOST_GROWTH} of the smallest one's`,
    met: peak <= MOST_MB && growth <= MOST_GROWTH,
  };
}
