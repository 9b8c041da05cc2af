import { runFigures } from "../run-figures.js";
import { type Arena, type Figure, inArena, type Scenario, type ScenarioContext } from "../scenario.js";
import { runSync, type SyncRun } from "../sync-command.js";

const LATENCY_MS = 50;
const CONCURRENCY = 20;
const STREAMS = "investment_transactions,securities";
const ROWS = 200_000;
const MOST_RATIO = 1.5;
const MOST_GROWTH = 1.1;

/** Lists without a cursor: all of them, a night that reads windows of them, and one list that is very long. */
export const investments: Scenario = {
  name: "investments",
  title: `200,000 investment transactions, ${LATENCY_MS} ms a call, concurrency ${CONCURRENCY}`,
  async run(context) {
    return [...(await manyLinks(context)), await oneLink(context)];
  },
};

async function manyLinks({ quick, report }: ScenarioContext): Promise<Figure[]> {
  const rows = 1_000;
  const users = (quick ? ROWS / 10 : ROWS) / rows;
  const population = { users, linksPerUser: 1, rows: 0, investments: rows, latencyMs: LATENCY_MS };
  return inArena(population, async (arena) => {
    const directory = await arena.directory();
    report(`${users} links: the whole lists`);
    const first = await syncOnce(arena, directory);
    report(`${users} links: a night that reads windows`);
    for (const { id } of await arena.standIn.control.links()) {
      await arena.standIn.control.investments.change(id, { created: 10, updated: 10, removed: 5, days: 30 });
    }
    const next = await syncOnce(arena, directory);
    return [
      { ...figureOf(`${users} links × ${rows}, first night`, first), ...judged(first) },
      figureOf("the night after, 25 changes a link", next),
    ];
  });
}

/** The memory of one long list beside that of a short one. */
async function oneLink(context: ScenarioContext): Promise<Figure> {
  const [short, long] = context.quick ? [2_500, 10_000] : [25_000, 100_000];
  const before = await listOf(short, context);
  const run = await listOf(long, context);
  const ratio = run.process.peakRssMb / before.process.peakRssMb;
  const measured = { ...runFigures(run), short_peak_rss_mb: before.process.peakRssMb };
  const variant = `one link × ${short} and ${long}, no latency`;
  const target = `peak memory ≤ ${MOST_GROWTH} ×`;
  return { scenario: investments.name, variant, measured, ratio, target, met: ratio <= MOST_GROWTH };
}

async function listOf(rows: number, { report }: ScenarioContext): Promise<SyncRun> {
  return inArena({ users: 1, linksPerUser: 1, rows: 0, investments: rows }, async (arena) => {
    report(`one link with ${rows} rows`);
    return syncOnce(arena, await arena.directory());
  });
}

interface CountedRun extends SyncRun {
  readonly counted: number;
}

async function syncOnce(arena: Arena, directory: string): Promise<CountedRun> {
  const before = (await arena.standIn.control.calls()).total;
  const run = await runSync({ ...arena, directory, concurrency: CONCURRENCY, streams: STREAMS });
  return { ...run, counted: (await arena.standIn.control.calls()).total - before };
}

const boundOf = (run: CountedRun) => (run.counted * LATENCY_MS) / 1000 / CONCURRENCY;

function figureOf(variant: string, run: CountedRun): Figure {
  const bound = boundOf(run);
  const measured = { ...runFigures(run), calls: run.counted, bound_seconds: bound };
  return { scenario: investments.name, variant, measured, ratio: run.seconds / bound };
}

function judged(run: CountedRun): Pick<Figure, "target" | "met"> {
  const target = `≤ ${MOST_RATIO} × (calls × ${LATENCY_MS} ms / ${CONCURRENCY})`;
  return { target, met: run.seconds <= MOST_RATIO * boundOf(run) };
}
