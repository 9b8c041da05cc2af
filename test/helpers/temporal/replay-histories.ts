import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Client } from "@temporalio/client";
import { historyFromJSON, historyToJSON } from "@temporalio/common/lib/proto-utils.js";

interface StoredHistory {
  readonly name: string;
  readonly workflowId: string;
  readonly history: ReturnType<typeof historyFromJSON>;
}

/** Where recorded histories are; one gzipped JSON file a workflow execution. */
const HISTORIES = fileURLToPath(new URL("../../replay/histories/", import.meta.url));

/** All recorded histories: those of today, and in a folder of its version those of a release. */
export async function storedHistories(): Promise<StoredHistory[]> {
  const names = (await readdir(HISTORIES, { recursive: true }))
    .filter((name) => name.endsWith(".json.gz"))
    .sort();
  return Promise.all(
    names.map(async (name) => {
      const text = gunzipSync(await readFile(new URL(name, `file://${HISTORIES}`))).toString("utf8");
      const { workflowId, history } = JSON.parse(text) as { workflowId: string; history: unknown };
      return { name, workflowId, history: historyFromJSON(history) };
    }),
  );
}

/** Writes one execution's history; gives the id of the run that it continued, where there was one. */
export async function recordHistory(
  client: Client,
  name: string,
  workflowId: string,
  runId?: string,
): Promise<string | null> {
  const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  // Which machine recorded it is nobody's business.
  const nameless = (key: string, value: unknown) => (key === "identity" ? "recorder" : value);
  const text = JSON.stringify({ workflowId, history: JSON.parse(historyToJSON(history), nameless) });
  await writeFile(join(HISTORIES, `${name}.json.gz`), gzipSync(text, { level: 9 }));
  const [first] = history.events ?? [];
  return first?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || null;
}
