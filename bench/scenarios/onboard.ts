import { join } from "node:path";
import { writeCustomers } from "../customers-file.js";
import { type OnboardRun, runOnboard } from "../onboard-command.js";
import { type Arena, type Figure, inArena, medianRun, type Scenario } from "../scenario.js";

const LATENCY_MS = 50;
const DELAY_MS = 200;
const WINDOW = 100;
const CONCURRENCY = 32;

/** A batch, and what the stand-in took for it. */
interface Batch {
  readonly run: OnboardRun;
  readonly standInCpuSeconds: number;
  readonly seconds: number;
}

/** A batch of customers, told by webhook: what the program adds to the latency of its calls. */
export const onboard: Scenario = {
  name: "onboard",
  title: `2,000 customers, ${LATENCY_MS} ms a call, webhooks ${DELAY_MS} ms after it`,
  async run({ quick, runs, report }) {
    const customers = quick ? 100 : 2_000;
    const batches: Batch[] = [];
    for (let number = 1; number <= runs; number += 1) {
      // A stand-in each: it would give the onboardings of the run before as those of a customer.
      const population = { users: customers, linksPerUser: 1, rows: 0, latencyMs: LATENCY_MS };
      batches.push(await inArena(population, (arena) => measure(arena, customers)));
      report(`run ${number} of ${runs}: ${batches.at(-1)?.seconds.toFixed(1)} s`);
    }
    return [figureOf(medianRun(batches), customers)];
  },
};

async function measure({ standIn, directory }: Arena, customers: number): Promise<Batch> {
  const place = await directory();
  const file = join(place, "customers.csv");
  await writeCustomers(file, customers);
  const before = standIn.cpuSeconds();
  const run = await runOnboard({
    standIn,
    directory: place,
    customers: file,
    delayMs: DELAY_MS,
    window: WINDOW,
    concurrency: CONCURRENCY,
  });
  if (run.summary.customers.pass !== customers) {
    throw new Error(`${run.summary.customers.pass} of ${customers} customers passed`);
  }
  return { run, seconds: run.seconds, standInCpuSeconds: standIn.cpuSeconds() - before };
}

function figureOf({ run, standInCpuSeconds }: Batch, customers: number): Figure {
  const cpu = run.process.cpuSeconds + run.receiver.cpuSeconds + run.temporal.cpuSeconds;
  const bound = (run.summary.calls * LATENCY_MS) / 1000 / CONCURRENCY;
  const ratio = run.seconds / bound;
  return {
    scenario: onboard.name,
    variant: `${customers} customers`,
    measured: {
      customers_per_second: customers / run.seconds,
      cpu_ms_per_customer: (cpu * 1000) / customers,
      seconds: run.seconds,
      bound_seconds: bound,
      command_seconds: run.commandSeconds,
      calls: run.summary.calls,
      webhooks: run.webhooks.taken,
      webhooks_matched: run.webhooks.matched,
      cpu_seconds: run.process.cpuSeconds,
      receiver_cpu_seconds: run.receiver.cpuSeconds,
      temporal_cpu_seconds: run.temporal.cpuSeconds,
      stand_in_cpu_seconds: standInCpuSeconds,
      peak_rss_mb: run.process.peakRssMb,
      receiver_peak_rss_mb: run.receiver.peakRssMb,
    },
    ratio,
  };
}
