import { join } from "node:path";
import { type BulkRun, runBulk, writeTransactions } from "../bulk-command.js";
import { type Figure, inArena, type Scenario } from "../scenario.js";

const LATENCY_MS = 20;
const CONCURRENCY = 8;
const LINKS = 20;
const MOST_RATIO = 1.5;
const MOST_GROWTH = 1.1;

/** Many requests, so that the latency counts: what the program adds to each. */
const BY_LATENCY = { chunk: 20, quick: 2_000, rows: 100_000 };
/** As the command does it by itself: rows that keep all groups busy that run at a time, then four times as many. */
const BY_SIZE = [
  { chunk: 500, quick: 1_000, rows: 25_000 },
  { chunk: 500, quick: 4_000, rows: 100_000 },
];

/** An import beside its latency bound, and its memory beside that of a quarter of the rows. */
export const importRows: Scenario = {
  name: "import",
  title: `100,000 rows into ${LINKS} links, ${LATENCY_MS} ms a call, ${CONCURRENCY} in flight`,
  async run({ quick, report }) {
    const figures: Figure[] = [];
    const measured = async (shape: typeof BY_LATENCY) => {
      const rows = quick ? shape.quick : shape.rows;
      report(`${rows} rows in chunks of ${shape.chunk}`);
      return { ...shape, rows, run: await imported(rows, shape.chunk) };
    };
    const slow = await measured(BY_LATENCY);
    const ratio = slow.run.seconds / boundOf(slow.run);
    const target = `≤ ${MOST_RATIO} × (calls × ${LATENCY_MS} ms / ${CONCURRENCY})`;
    figures.push({ ...figureOf(slow), ratio, target, met: ratio <= MOST_RATIO });
    let first: number | undefined;
    for (const shape of BY_SIZE) {
      const done = await measured(shape);
      first ??= done.run.process.peakRssMb;
      const growth = done.run.process.peakRssMb / first;
      const figure = { ...figureOf(done), ratio: growth, target: `≤ ${MOST_GROWTH} of the first one's peak` };
      figures.push({ ...figure, met: growth <= MOST_GROWTH });
    }
    return figures;
  },
};

/** Seconds that the calls alone take. */
function boundOf({ summary }: BulkRun): number {
  return (summary.calls * LATENCY_MS) / 1000 / CONCURRENCY;
}

function figureOf({ rows, chunk, run }: { rows: number; chunk: number; run: BulkRun }): Figure {
  return {
    scenario: importRows.name,
    variant: `${rows} rows, chunks of ${chunk}`,
    measured: {
      seconds: run.seconds,
      command_seconds: run.commandSeconds,
      bound_seconds: boundOf(run),
      rows_per_second: rows / run.seconds,
      calls: run.summary.calls,
      peak_rss_mb: run.process.peakRssMb,
      temporal_peak_rss_mb: run.temporal.peakRssMb,
      cpu_seconds: run.process.cpuSeconds,
    },
  };
}

function imported(rows: number, chunk: number): Promise<BulkRun> {
  const population = { users: LINKS, linksPerUser: 1, rows: 1, latencyMs: LATENCY_MS };
  return inArena(population, async ({ standIn, directory }) => {
    const place = await directory();
    const transactions = join(place, "transactions.csv");
    await writeTransactions(transactions, standIn, rows);
    const args = ["import", "--transactions", transactions, "--chunk", String(chunk)];
    return runBulk({ standIn, args, directory: place, concurrency: CONCURRENCY });
  });
}
