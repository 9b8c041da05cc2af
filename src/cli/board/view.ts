import { withStoreQuery } from "../lake/query.js";
import { unfinishedRuns } from "../runs/unfinished-runs.js";
import { withRunsView } from "../runs/view.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Asked, BoardView, Page, ReadPage } from "./page.js";

/** The lake and Temporal as pages read them, opened for each page: nothing is held while nobody looks. */
export interface OpenBoard {
  read(page: Page, asked: Asked): Promise<ReadPage>;
  /** A text that differs when a run has moved or a table has a new version. */
  pulse(): Promise<string>;
}

/** Tables whose news an open page shows at once. */
const NEWS = ["runs", "alerts", "onboardings", "webhook_events"];

export function openBoard(terminal: Terminal): OpenBoard {
  const quiet = { ...terminal, say: () => undefined };
  const opened = <R>(work: (view: BoardView) => Promise<R>) =>
    withRunsView(quiet, (view) =>
      withStoreQuery(view.lake.store, (query) => work({ ...view, query, terminal: quiet })),
    );
  return {
    read: (page, asked) => opened((view) => page.read(view, asked)),
    pulse: () =>
      withRunsView(quiet, async (view) => {
        const { store } = view.lake;
        const logs = await Promise.all(NEWS.map((table) => store.list(`${table}/_delta_log/`)));
        const newest = logs.map((log) => [
          log.length,
          log
            .map(({ key }) => key)
            .toSorted()
            .at(-1),
        ]);
        const open = await withStoreQuery(store, (query) => unfinishedRuns(view, query), { tables: [] });
        return JSON.stringify([
          newest,
          open.map(({ run_id, status, progress }) => [run_id, status, progress]),
        ]);
      }),
  };
}
