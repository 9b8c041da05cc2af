import { measureCeiling } from "../ceiling.js";
import { runFigures } from "../run-figures.js";
import { type Figure, inArena, medianRun, type Scenario, type ScenarioContext } from "../scenario.js";
import { runSync } from "../sync-command.js";

const LATENCY_MS = 50;

interface Shape {
  readonly users: number;
  readonly linksPerUser: number;
}

/** 5,200 calls, nearly all of them reads of a link: the headline. */
const FEW_USERS: Shape = { users: 100, linksPerUser: 50 };
/** 15,000 calls: each user's links and accounts are two of three. */
const MANY_USERS: Shape = { users: 5_000, linksPerUser: 1 };

function latencyScenario(concurrency: number, most: number): Scenario {
  const name = `latency-${concurrency}`;
  const target = `≤ ${most} × (calls × ${LATENCY_MS} ms / ${concurrency})`;
  return {
    name,
    title: `5,000 links × 20 rows, ${LATENCY_MS} ms a call, concurrency ${concurrency}`,
    async run(context) {
      const figures: Figure[] = [];
      for (const shape of [FEW_USERS, MANY_USERS]) {
        const measured = await measure(shape, concurrency, context);
        const { ratio } = measured;
        figures.push({ scenario: name, ...measured, target, met: ratio <= most });
      }
      return figures;
    },
  };
}

async function measure({ users, linksPerUser }: Shape, concurrency: number, context: ScenarioContext) {
  const { quick, report } = context;
  const some = quick ? Math.ceil(users / 10) : users;
  const population = { users: some, linksPerUser, rows: 20, latencyMs: LATENCY_MS };
  const variant = `${some} users × ${linksPerUser} links`;
  return inArena(population, async (arena) => {
    const runs = users > 1_000 ? 1 : context.runs;
    report(`${variant}: ceiling`);
    const ceiling = await measureCeiling(arena.standIn, arena.roster, concurrency);
    const syncs = [];
    for (let number = 1; number <= runs; number += 1) {
      report(`${variant}: run ${number} of ${runs}`);
      const before = (await arena.standIn.control.calls()).total;
      const directory = await arena.directory();
      const run = await runSync({ ...arena, directory, concurrency });
      const after = (await arena.standIn.control.calls()).total;
      syncs.push({ ...run, counted: after - before });
      await arena.clear(directory);
    }
    const sync = medianRun(syncs);
    const bound = (sync.counted * LATENCY_MS) / 1000 / concurrency;
    return {
      variant,
      measured: {
        ...runFigures(sync),
        calls: sync.counted,
        bound_seconds: bound,
        ceiling_seconds: ceiling.seconds,
        ceiling_ratio: ceiling.seconds / bound,
      },
      ratio: sync.seconds / bound,
    };
  });
}

/** Twenty in flight: what the workflows add between calls. */
export const latency20 = latencyScenario(20, 1.1);

/** Sixty-four in flight: what the process can keep going at once. */
export const latency64 = latencyScenario(64, 1.4);
