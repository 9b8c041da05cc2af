import { NotThereError } from "../../domain/failures.js";
import { matches, RUN_STATUSES, type Run, type RunFilter } from "../../domain/run.js";
import { meantWords, nearestOf } from "../../domain/words/nearest.js";
import { endedRuns } from "../../intake/runs/ended-runs.js";
import { runs } from "../../lake/tables/runs.js";
import { whyNoLake } from "../lake/query.js";
import { showRows, type TableFlags } from "../lake/row-table.js";
import type { Terminal } from "../terminal/terminal.js";
import { RUN_KINDS } from "./kinds.js";
import { RUN_COLUMNS, runRow } from "./text.js";
import { unfinishedRuns, withoutProgress } from "./unfinished-runs.js";
import { type RunsView, withRunsView } from "./view.js";

export const KIND_NAMES: readonly string[] = RUN_KINDS.map(({ kind }) => kind);

interface ListFlags extends RunFilter, TableFlags {
  readonly limit: number;
}

/** Finds runs that have not ended, and at most this many of those that have, the newest first. @throws NotThereError */
export async function findRuns(
  view: RunsView,
  filter: RunFilter,
  most: number,
): Promise<{ readonly open: readonly Run[]; readonly ended: readonly Run[] }> {
  checkWord("--kind", filter.kind, KIND_NAMES);
  checkWord("--status", filter.status, RUN_STATUSES);
  const open = (await unfinishedRuns(view)).filter((run) => matches(run, filter));
  return { open, ended: await endedRuns(view.query, filter, most) };
}

/** Lists runs, those that have not ended first, then the newest. */
export async function listRuns(terminal: Terminal, flags: ListFlags): Promise<void> {
  const { limit, json, csv, wide: _, vertical: __, ...filter } = flags;
  return withRunsView(terminal, [runs], async (view) => {
    const { open, ended } = await findRuns(view, filter, limit);
    const found: Run[] = [...open.map(withoutProgress), ...ended].slice(0, limit);
    const isLeft = found.some(({ status }) => status === "interrupted");
    if (view.missing !== undefined && isLeft) terminal.say(view.missing);
    if (json) terminal.result(JSON.stringify({ items: found }));
    else if (found.length === 0 && !csv) terminal.say((await whyNoLake(view.lake.store)) ?? "no runs match");
    else {
      const isScheduled = csv || found.some(({ schedule }) => schedule !== null);
      const names = RUN_COLUMNS.filter((name) => name !== "schedule" || isScheduled);
      showRows(
        terminal,
        found.map((run) => runRow(run, csv)),
        { flags, names },
      );
    }
  });
}

/** Refuses a word that no run has, which would list nothing without saying why. @throws NotThereError */
function checkWord(flag: string, word: string | undefined, accepted: readonly string[]): void {
  if (word === undefined || accepted.includes(word)) return;
  const meant = meantWords(nearestOf(accepted, word));
  throw new NotThereError(
    `${flag}: ${JSON.stringify(word)} is unknown.${meant} Accepted: ${accepted.join(", ")}.`,
  );
}
