import { type Ceiling, measureCeiling } from "../ceiling.js";
import { type LakeFiles, lakeFiles, newBytesByTable } from "../lake-files.js";
import { runFigures } from "../run-figures.js";
import { type HistoryCounts, historiesSince } from "../run-histories.js";
import { type Arena, type Figure, inArena, median, medianRun, type Scenario } from "../scenario.js";
import { runSync, type SyncRun } from "../sync-command.js";

const CONCURRENCY = 64;
const LEAST_RATIO = 0.4;
const MOST_CPU_MS = 0.7;
const MOST_ACTIVITIES = 10;

/** A night with nothing new, and the ceiling that was measured right before it. */
interface QuietNight {
  readonly ceiling: Ceiling;
  readonly sync: SyncRun;
  readonly histories: HistoryCounts;
  readonly written: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly ratio: number;
}

const VARIANTS = [
  { name: "all streams", streams: undefined, accounts: true },
  { name: "transactions only", streams: "transactions", accounts: false },
];

/** Nothing has changed: what the calls of such a night cost beside fetching and parsing alone. */
export const quiet: Scenario = {
  name: "quiet",
  title: `20,000 links without news, no latency, ${CONCURRENCY} in flight`,
  async run({ quick, runs, report }) {
    const users = quick ? 1_000 : 20_000;
    const figures: Figure[] = [];
    for (const { name, streams, accounts } of VARIANTS) {
      figures.push(
        await inArena({ users, linksPerUser: 1, rows: 5 }, async (arena) => {
          const directory = await arena.directory();
          const place = { directory, streams, accounts };
          report(`${name}: first load`);
          await runSync({ ...arena, directory, concurrency: CONCURRENCY, ...chosen(streams) });
          const nights: QuietNight[] = [];
          for (let number = 1; number <= runs; number += 1) {
            const night = await quietNight(arena, place);
            report(`${name}: night ${number} of ${runs}: ${night.ratio.toFixed(3)} of the ceiling`);
            nights.push(night);
          }
          return figureOf(`${users} links, ${name}`, users, nights);
        }),
      );
    }
    return figures;
  },
};

function chosen(streams: string | undefined): { streams?: string } {
  return streams === undefined ? {} : { streams };
}

async function quietNight(
  { standIn, roster }: Arena,
  {
    directory,
    streams,
    accounts,
  }: { readonly directory: string; readonly streams: string | undefined; readonly accounts: boolean },
): Promise<QuietNight> {
  const ceiling = await measureCeiling(standIn, roster, CONCURRENCY, { accounts, nights: 2 });
  const before: LakeFiles = await lakeFiles(directory);
  const since = new Date();
  const sync = await runSync({ standIn, roster, directory, concurrency: CONCURRENCY, ...chosen(streams) });
  const { calls } = sync.summary;
  if (calls !== ceiling.calls) {
    throw new Error(`the sync made ${calls} calls, the ceiling ${ceiling.calls}: they can't be compared`);
  }
  if (sync.summary.rows.created !== 0) throw new Error("the night was not quiet");
  return {
    ceiling,
    sync,
    histories: await historiesSince(directory, since),
    written: newBytesByTable(before, await lakeFiles(directory)),
    seconds: sync.seconds,
    ratio: ceiling.seconds / sync.seconds,
  };
}

function figureOf(variant: string, links: number, nights: readonly QuietNight[]): Figure {
  const { ceiling, sync, histories, written } = medianRun(nights);
  const { calls } = sync.summary;
  // The median of the pairs' ratios: what else the machine does slows both of a pair.
  const ratio = median(nights.map((one) => one.ratio));
  const perThousand = (count: number) => (count * 1000) / links;
  const cpuMs = ((sync.process.cpuSeconds + sync.temporal.cpuSeconds) * 1000) / calls;
  const activities = perThousand(histories.activities);
  return {
    scenario: quiet.name,
    variant,
    measured: {
      ...runFigures(sync),
      ceiling_seconds: ceiling.seconds,
      ceiling_cpu_ms_per_call: (ceiling.cpuSeconds * 1000) / calls,
      stand_in_cpu_ms_per_call: (sync.standInCpuSeconds * 1000) / calls,
      cpu_ms_per_call: cpuMs,
      command_cpu_ms_per_call: (sync.process.cpuSeconds * 1000) / calls,
      temporal_cpu_ms_per_call: (sync.temporal.cpuSeconds * 1000) / calls,
      activities_per_1000_links: activities,
      signals_per_1000_links: perThousand(histories.signals),
      workflow_tasks_per_1000_links: perThousand(histories.workflowTasks),
      events_per_1000_links: perThousand(histories.events),
      workflow_runs: histories.workflows,
      ...written,
    },
    ratio,
    target: `≥ ${LEAST_RATIO} of the ceiling, ≤ ${MOST_CPU_MS} ms of CPU a call, ≤ ${MOST_ACTIVITIES} activities per 1,000 links`,
    met: ratio >= LEAST_RATIO && cpuMs <= MOST_CPU_MS && activities <= MOST_ACTIVITIES,
  };
}
