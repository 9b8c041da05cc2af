import { InputError } from "../../domain/failures.js";
import { runs } from "../../lake/tables/runs.js";
import { withStoreQuery } from "../lake/query.js";
import { isAsked, type RunFilter, SEEN_STATUSES, type SeenRun } from "../shell/seen-run.js";
import { EXIT } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";
import { endedRuns } from "./ended-runs.js";
import { RUN_KINDS } from "./kinds.js";
import { runLines } from "./text.js";
import { unfinishedRuns } from "./unfinished-runs.js";
import { withRunsView } from "./view.js";

export interface ListFlags extends RunFilter {
  readonly limit: number;
  readonly json?: boolean;
}

/** Lists runs, those that have not ended first, then the newest. Returns the exit code. */
export async function listRuns(terminal: Terminal, { limit, json, ...filter }: ListFlags): Promise<number> {
  checkWord(
    "--kind",
    filter.kind,
    RUN_KINDS.map(({ kind }) => kind),
  );
  checkWord("--status", filter.status, SEEN_STATUSES);
  return withRunsView(terminal, async (view) => {
    const found = await withStoreQuery(
      view.lake.store,
      async (query): Promise<SeenRun[]> => {
        const open = (await unfinishedRuns(view, query)).filter((run) => isAsked(run, filter));
        const seen = open.map(({ running: _, progress: __, ...run }) => run);
        return [...seen, ...(await endedRuns(query, filter, limit))].slice(0, limit);
      },
      { tables: [runs] },
    );
    const isLeft = found.some(({ status }) => status === "interrupted");
    if (view.missing !== undefined && isLeft) terminal.say(view.missing);
    if (json) terminal.result(JSON.stringify(found));
    else if (found.length === 0) terminal.say("no runs match");
    else for (const line of runLines(found)) terminal.result(line);
    return EXIT.completed;
  });
}

/** Refuses a word that no run has, which would list nothing without saying why. @throws InputError */
function checkWord(flag: string, word: string | undefined, accepted: readonly string[]): void {
  if (word === undefined || accepted.includes(word)) return;
  throw new InputError(`${flag}: ${JSON.stringify(word)} is unknown. Accepted: ${accepted.join(", ")}.`);
}
