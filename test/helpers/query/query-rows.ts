import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openQuery } from "../../../src/lake/query/query.js";

type Options = Omit<Parameters<typeof openQuery>[1], "scratchDirectory">;

/** Gives the rows of one query, as `nightledger query` reads them. */
export async function queryRows(
  store: Parameters<typeof openQuery>[0],
  sql: string,
  options: Options = {},
): Promise<Record<string, unknown>[]> {
  const scratchDirectory = await mkdtemp(join(tmpdir(), "nightledger-query-"));
  const query = openQuery(store, { ...options, scratchDirectory });
  const rows: Record<string, unknown>[] = [];
  try {
    for await (const batch of query.query(sql)) rows.push(...batch);
    return rows;
  } finally {
    await query.close();
    await rm(scratchDirectory, { recursive: true, force: true });
  }
}
