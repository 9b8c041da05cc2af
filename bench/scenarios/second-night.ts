import { runFigures } from "../run-figures.js";
import { type Arena, type Figure, inArena, type Scenario } from "../scenario.js";
import { runSync, type SyncRun } from "../sync-command.js";

const CONCURRENCY = 32;
const MOST_RATIO = 0.05;

/** A night's changes over a lake that holds everything already: its cost must follow the changes. */
export const secondNight: Scenario = {
  name: "second-night",
  title: "second night on 20 links × 100,000 rows, 20,000 changes",
  async run({ quick, report }) {
    const rows = quick ? 5_000 : 100_000;
    const changes = quick ? 1_000 : 20_000;
    return inArena({ users: 20, linksPerUser: 1, rows }, async (arena) => {
      const directory = await arena.directory();
      report("first load");
      const first = await runSync({ ...arena, directory, concurrency: CONCURRENCY });
      report("a night with mostly recent changes");
      const recent = await night(arena, directory, { changes });
      report("a night with changes spread evenly");
      const uniform = await night(arena, directory, { changes, recentShare: 0 });
      return [
        { scenario: secondNight.name, variant: "first load", measured: runFigures(first) },
        {
          ...figureOf("95 % within 30 days", recent, first),
          target: `≤ ${MOST_RATIO} of the first load's time`,
          met: recent.seconds <= first.seconds * MOST_RATIO,
        },
        figureOf("uniform", uniform, first),
      ];
    });
  },
};

async function night(
  arena: Arena,
  directory: string,
  options: { readonly changes: number; readonly recentShare?: number },
): Promise<SyncRun> {
  const { created, updated, removed } = await arena.standIn.control.nightlyChanges(options);
  const run = await runSync({ ...arena, directory, concurrency: CONCURRENCY });
  const expected = created + updated + removed;
  const { rows } = run.summary;
  const came = rows.created + rows.updated + rows.removed;
  if (came !== expected) throw new Error(`${came} rows were synced of ${expected} changes`);
  return run;
}

function figureOf(variant: string, run: SyncRun, first: SyncRun): Figure {
  const ratio = run.seconds / first.seconds;
  return { scenario: secondNight.name, variant, measured: runFigures(run), ratio };
}
