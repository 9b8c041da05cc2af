import type { Client } from "@temporalio/client";
import { UnreachableError } from "../../domain/failures.js";
import type { Run } from "../../domain/run.js";
import { endedRuns } from "../../intake/runs/ended-runs.js";
import type { TableSpec } from "../../lake/delta/delta-schema.js";
import type { LakeQuery } from "../../lake/query/query.js";
import { withStoreQuery } from "../../lake/query/store-query.js";
import { runs } from "../../lake/tables/runs.js";
import { connectClient } from "../../temporal/connection.js";
import { runningRuns, type StartedRun } from "../../temporal/running-workflows.js";
import { runningServer } from "../../temporal/server/embedded-server.js";
import { nearRun } from "../lake/near-run.js";
import { type LakeView, readLakeView } from "../session/preflight.js";
import { Releases } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";

const ANSWER_MS = 3_000;

export interface RunsView {
  readonly lake: LakeView;
  /** SQL over the tables that were asked for. */
  readonly query: LakeQuery;
  /** Undefined where Temporal is not up. */
  readonly client: Client | undefined;
  /** Why Temporal is not up. */
  readonly missing: string | undefined;
}

/** Opens lake and Temporal read-only and closes them again: nothing is started and nothing changes. @param tables for SQL */
export async function withRunsView<R>(
  terminal: Terminal,
  tables: readonly TableSpec[],
  work: (view: RunsView) => Promise<R>,
): Promise<R> {
  const lake = await readLakeView(terminal);
  const releases = new Releases();
  try {
    const temporal = await findClient(lake, releases);
    return await withStoreQuery(lake.store, (query) => work({ lake, query, ...temporal }), { tables });
  } finally {
    await releases.run();
  }
}

async function findClient(
  { config, settings, keys }: LakeView,
  releases: Releases,
): Promise<Pick<RunsView, "client" | "missing">> {
  const off =
    "Temporal is not running in this directory, so no run advances: one in progress is shown as interrupted, and schedules are not shown. To start Temporal: nightledger dev";
  const server = settings.mode === "cluster" ? settings : await runningServer(config.home.path);
  if (server === undefined || keys === undefined) return { client: undefined, missing: off };
  try {
    const { client, close } = await connectClient(server, keys, ANSWER_MS);
    releases.add(close);
    return { client, missing: undefined };
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    const words = `Temporal at ${server.address} does not answer, so runs in progress are shown as interrupted`;
    return { client: undefined, missing: settings.mode === "cluster" ? words : off };
  }
}

/** Finds a run of the lake by its id: as it ended, or as Temporal has it; where it is neither, a run of a like id. */
export function findRun(
  terminal: Terminal,
  id: string,
): Promise<{
  readonly ended: Run | undefined;
  readonly running: StartedRun | undefined;
  readonly near: string | undefined;
}> {
  return withRunsView(terminal, [runs], async ({ client, query, lake: { taskQueue } }) => {
    const listed = client === undefined ? [] : await runningRuns(client, taskQueue);
    const ended = (await endedRuns(query, { run_id: id }, 1))[0];
    const running = ended ? undefined : listed.find(({ runId }) => runId === id);
    const isThere = (ended ?? running) !== undefined;
    const open = listed.map(({ runId }) => runId);
    return { ended, running, near: isThere ? undefined : await nearRun(query, id, open) };
  });
}
