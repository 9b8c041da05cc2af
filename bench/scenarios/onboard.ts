import { join } from "node:path";
import { type BareRun, runBarePeer } from "../bare/bare-peer.js";
import { writeCustomers } from "../customers-file.js";
import { type OnboardRun, runOnboard } from "../onboard-command.js";
import { type Arena, type Figure, inArena, median, medianRun, type Scenario } from "../scenario.js";

const LATENCY_MS = 50;
const DELAY_MS = 200;
const WINDOW = 100;
const LEAST_RATIO = 3;
/** The bare peer's CPU over the batch's. */
const LEAST_CPU_RATIO = 2.4;

/** A batch and the bare peer that was measured right before it. */
interface Pair {
  readonly bare: BareRun;
  readonly run: OnboardRun;
  readonly standInCpuSeconds: number;
  readonly seconds: number;
  readonly ratio: number;
}

/** A batch of customers, told by webhook: how much of a bare child workflow's pace is left. */
export const onboard: Scenario = {
  name: "onboard",
  title: `2,000 customers, ${LATENCY_MS} ms a call, webhooks ${DELAY_MS} ms after it`,
  async run({ quick, runs, report }) {
    const customers = quick ? 100 : 2_000;
    const pairs: Pair[] = [];
    for (let number = 1; number <= runs; number += 1) {
      // A stand-in each: it would give the onboardings of the run before as those of a customer.
      const population = { users: customers, linksPerUser: 1, rows: 0, latencyMs: LATENCY_MS };
      pairs.push(await inArena(population, (arena) => measure(arena, customers, report)));
      report(`run ${number} of ${runs}: ${pairs.at(-1)?.ratio.toFixed(3)}`);
    }
    return [figureOf(pairs, customers)];
  },
};

async function measure(arena: Arena, customers: number, report: (text: string) => void): Promise<Pair> {
  const { standIn } = arena;
  report("bare peer");
  const pace = { delayMs: DELAY_MS, window: WINDOW };
  const bare = await runBarePeer({
    ...pace,
    customers,
    latencyMs: LATENCY_MS,
    directory: await arena.directory(),
  });
  report("batch");
  const directory = await arena.directory();
  const file = join(directory, "customers.csv");
  await writeCustomers(file, customers);
  const before = standIn.cpuSeconds();
  const run = await runOnboard({ ...pace, standIn, directory, customers: file });
  if (run.summary.customers.pass !== customers) {
    throw new Error(`${run.summary.customers.pass} of ${customers} customers passed`);
  }
  return {
    bare,
    run,
    seconds: run.seconds,
    ratio: bare.seconds / run.seconds,
    standInCpuSeconds: standIn.cpuSeconds() - before,
  };
}

function figureOf(pairs: readonly Pair[], customers: number): Figure {
  const { bare, run, standInCpuSeconds } = medianRun(pairs);
  // The median of the pairs' ratios: what else the machine does slows both of a pair.
  const ratio = median(pairs.map((pair) => pair.ratio));
  const cpu = run.process.cpuSeconds + run.receiver.cpuSeconds + run.temporal.cpuSeconds;
  const cpuRatio = (bare.process.cpuSeconds + bare.children.cpuSeconds) / cpu;
  return {
    scenario: onboard.name,
    variant: `${customers} customers`,
    measured: {
      customers_per_second: customers / run.seconds,
      bare_customers_per_second: customers / bare.seconds,
      seconds: run.seconds,
      bare_seconds: bare.seconds,
      command_seconds: run.commandSeconds,
      calls: run.summary.calls,
      webhooks: run.webhooks.taken,
      webhooks_matched: run.webhooks.matched,
      cpu_seconds: run.process.cpuSeconds,
      receiver_cpu_seconds: run.receiver.cpuSeconds,
      temporal_cpu_seconds: run.temporal.cpuSeconds,
      stand_in_cpu_seconds: standInCpuSeconds,
      bare_cpu_seconds: bare.process.cpuSeconds,
      bare_temporal_cpu_seconds: bare.children.cpuSeconds,
      cpu_ratio: cpuRatio,
      peak_rss_mb: run.process.peakRssMb,
      receiver_peak_rss_mb: run.receiver.peakRssMb,
    },
    ratio,
    target: `≥ ${LEAST_RATIO} × the bare peer's customers/s, cpu_ratio ≥ ${LEAST_CPU_RATIO}`,
    met: ratio >= LEAST_RATIO && cpuRatio >= LEAST_CPU_RATIO,
  };
}
