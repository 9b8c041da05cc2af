import { join } from "node:path";
import { Connection, type WorkflowService } from "@temporalio/client";
import { findTemporalCli } from "../src/temporal/cli/cli-binary.js";
import { acquireEmbeddedServer } from "../src/temporal/server/embedded-server.js";

/** What Temporal has written down of some workflows. */
export interface HistoryCounts {
  /** Runs of workflows; one that continued as new counts each time. */
  readonly workflows: number;
  readonly events: number;
  readonly activities: number;
  readonly signals: number;
  readonly workflowTasks: number;
}

const COUNTED = {
  activities: "activityTaskScheduledEventAttributes",
  signals: "workflowExecutionSignaledEventAttributes",
  workflowTasks: "workflowTaskCompletedEventAttributes",
} as const;
const KINDS = Object.keys(COUNTED) as (keyof typeof COUNTED)[];

/**
 * Counts the histories of the workflows that a command started after a moment, on the embedded server of its
 * directory: the command has ended, so the server is started again on its database.
 */
export async function historiesSince(directory: string, since: Date): Promise<HistoryCounts> {
  const report = () => undefined;
  const { path } = await findTemporalCli({ env: process.env, report });
  const home = join(directory, ".nightledger");
  const server = await acquireEmbeddedServer({ home, cliPath: path, report });
  try {
    const { address, namespace } = server;
    const connection = await Connection.connect({ address });
    try {
      return await countHistories(connection.workflowService, namespace, since);
    } finally {
      await connection.close();
    }
  } finally {
    await server.release();
  }
}

// Asked of the service itself: what the client would give is decoded, and the benchmark has no key.
async function countHistories(
  service: WorkflowService,
  namespace: string,
  since: Date,
): Promise<HistoryCounts> {
  const counts = { workflows: 0, events: 0, activities: 0, signals: 0, workflowTasks: 0 };
  const query = `StartTime >= "${since.toISOString()}"`;
  const listed = await pages((nextPageToken) =>
    service.listWorkflowExecutions({ namespace, query, nextPageToken }),
  );
  for (const { execution } of listed.flatMap(({ executions }) => executions)) {
    if (!execution) continue;
    const read = await pages((nextPageToken) =>
      service.getWorkflowExecutionHistory({ namespace, execution, nextPageToken }),
    );
    counts.workflows += 1;
    for (const event of read.flatMap(({ history }) => history?.events ?? [])) {
      counts.events += 1;
      for (const name of KINDS) if (event[COUNTED[name]]) counts[name] += 1;
    }
  }
  return counts;
}

/** Every page of an answer that comes in pages. */
async function pages<P extends { readonly nextPageToken: Uint8Array }>(
  ask: (token: Uint8Array) => Promise<P>,
): Promise<P[]> {
  const read: P[] = [];
  let token: Uint8Array = new Uint8Array();
  do {
    const page = await ask(token);
    read.push(page);
    token = page.nextPageToken;
  } while (token.length > 0);
  return read;
}
