import { schedulePrefix } from "../../domain/schedules/scheduled-run.js";
import { listedSchedules } from "../../intake/schedules/schedules.js";
import { newestVersion } from "../../lake/delta/delta-log.js";
import type { TableSpec } from "../../lake/delta/delta-schema.js";
import { runs } from "../../lake/tables/runs.js";
import { unfinishedRuns } from "../runs/unfinished-runs.js";
import { withRunsView } from "../runs/view.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Asked, BoardView, Page, ReadPage } from "./page.js";

/** An open page shows their news at once. */
const NEWS = ["runs", "onboardings", "webhook_events"];

/** Opens lake and Temporal read-only. */
export function withBoardView<R>(
  terminal: Terminal,
  tables: readonly TableSpec[],
  work: (view: BoardView) => Promise<R>,
): Promise<R> {
  const quiet = { ...terminal, say: () => undefined };
  return withRunsView(quiet, tables, (view) => work({ ...view, terminal: quiet }));
}

/** Opens lake and Temporal for one page, and closes them. */
export function readPage(terminal: Terminal, page: Page, asked: Asked): Promise<ReadPage> {
  const tables = typeof page.tables === "function" ? page.tables(asked) : page.tables;
  return withBoardView(terminal, tables, (view) => page.read(view, asked));
}

/** Changes when a run has moved, a table has a new version, or a schedule's next time is another. */
export function pulseOf(terminal: Terminal): Promise<string> {
  return withBoardView(terminal, [runs], async (view) => {
    const { client, lake } = view;
    const { store } = lake;
    const newest = await Promise.all(NEWS.map((table) => newestVersion({ store, table })));
    const open = await unfinishedRuns(view);
    const schedules = client === undefined ? [] : await listedSchedules(client, schedulePrefix(lake.scope));
    return JSON.stringify([
      newest,
      open.map(({ run_id, status, progress }) => [run_id, status, progress]),
      schedules.map(({ scheduleId, state, info }) => [scheduleId, state.paused, info.nextActionTimes[0]]),
    ]);
  });
}
