import { newestVersion } from "../../lake/delta/delta-log.js";
import type { TableSpec } from "../../lake/delta/delta-schema.js";
import { runs } from "../../lake/tables/runs.js";
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

/** Opens lake and Temporal read-only and closes them again; pages say what a command would say beside its result. */
export function withBoardView<R>(
  terminal: Terminal,
  work: (view: BoardView) => Promise<R>,
  tables?: readonly TableSpec[],
): Promise<R> {
  const quiet = { ...terminal, say: () => undefined };
  return withRunsView(quiet, (view) =>
    withStoreQuery(
      view.lake.store,
      (query) => work({ ...view, query, terminal: quiet }),
      tables === undefined ? {} : { tables },
    ),
  );
}

export function openBoard(terminal: Terminal): OpenBoard {
  return {
    read: (page, asked) => withBoardView(terminal, (view) => page.read(view, asked), page.tables),
    pulse: () => withBoardView(terminal, newsOf, [runs]),
  };
}

async function newsOf(view: BoardView): Promise<string> {
  const { store } = view.lake;
  const newest = await Promise.all(NEWS.map((table) => newestVersion({ store, table })));
  const open = await unfinishedRuns(view, view.query);
  return JSON.stringify([newest, open.map(({ run_id, status, progress }) => [run_id, status, progress])]);
}
