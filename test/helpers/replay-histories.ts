import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { historyFromJSON } from "@temporalio/common/lib/proto-utils.js";

/** A workflow's history as it was recorded with the committed test key. */
export interface StoredHistory {
  readonly name: string;
  readonly workflowId: string;
  readonly history: ReturnType<typeof historyFromJSON>;
}

/** Where recorded histories are; one gzipped JSON file a workflow execution. */
export const HISTORIES = fileURLToPath(new URL("../replay/histories/", import.meta.url));

/** All recorded histories. */
export async function storedHistories(): Promise<StoredHistory[]> {
  const names = (await readdir(HISTORIES)).filter((name) => name.endsWith(".json.gz")).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = gunzipSync(await readFile(new URL(name, `file://${HISTORIES}`))).toString("utf8");
      const { workflowId, history } = JSON.parse(text) as { workflowId: string; history: unknown };
      return { name, workflowId, history: historyFromJSON(history) };
    }),
  );
}
