import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import { openTable } from "../../../src/lake/delta/delta-table.js";
import { openQuery } from "../../../src/lake/query/query.js";
import { addRows, createTable, FEED, openTestLake } from "../lake/delta-lake.js";
import type { Targets } from "../lake/hostile-statements.js";

const PLANTED = "PLANTED-8c1f";
/** The names of the tests must be there before the lake is. */
export const NAMES: Targets = {
  ...{ keys: "<keys>", out: "<out>", data: "<data>", staged: "<staged>", http: "<http>" },
};

/** A lake with a table `feed`, a query over it, and what statements may be after. */
export async function openHostileLake() {
  const lake = await openTestLake();
  const scratchDirectory = join(lake.directory, "..", "query-scratch");
  const query = openQuery(lake.store, { scratchDirectory });
  const table = openTable(lake.store, "feed", lake.duckdb);
  await createTable(table, FEED);
  const add = await addRows(lake, "feed", "('a', 1, 1.5, '2026-01-02', null, true, 3)");
  await table.commit(() => [{ add }]);
  const out = join(lake.directory, "..", "out");
  await mkdir(out);
  const keys = join(lake.directory, "..", "keys");
  await writeFile(keys, `id:${PLANTED}\n`);
  await writeFile(`${keys}.csv`, `a\n${PLANTED}\n`);
  await lake.store.put("_staging/run/roster.json", PLANTED);
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end(PLANTED);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const http = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const staged = join(lake.directory, "_staging/run/roster.json");
  const targets: Targets = { keys, out, data: join(lake.directory, "feed", add.path), staged, http };

  /** Names and contents of everything that no statement may change. */
  async function fingerprint(): Promise<string[]> {
    const root = join(lake.directory, "..");
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const kept = files.filter((path) => !/scratch/.test(path)).sort();
    const hashes = kept.map(async (path) =>
      createHash("sha256")
        .update(await readFile(path))
        .digest("hex"),
    );
    return (await Promise.all(hashes)).map((hash, at) => `${kept[at]} ${hash}`);
  }

  async function rowsOf(sql: string): Promise<unknown[]> {
    const rows: unknown[] = [];
    for await (const batch of query.query(sql, { isForeign: true })) rows.push(...batch);
    return rows;
  }

  return {
    lake,
    targets,
    rowsOf,
    /** Expects that a statement is refused, tells nothing, asks nobody and changes nothing. */
    async expectRefused(sql: string): Promise<void> {
      const before = await fingerprint();
      const failure = await rowsOf(sql).then(
        (rows) => `answered: ${JSON.stringify(rows)}`,
        (error: Error) => error,
      );
      expect(failure).toMatchObject({ name: "InputError" });
      expect((failure as Error).message).not.toContain(PLANTED);
      expect(await fingerprint()).toEqual(before);
      expect(requests).toBe(0);
    },
    /** Expects that a statement is answered without what was planted, and changes nothing. */
    async expectIdle(sql: string): Promise<void> {
      const before = await fingerprint();
      expect(JSON.stringify(await rowsOf(sql))).not.toContain(PLANTED);
      expect(await fingerprint()).toEqual(before);
      // The next query has an engine of its own, and is not touched by it.
      expect(await rowsOf("select count(*) as n from feed")).toEqual([{ n: 1 }]);
    },
    async close(): Promise<void> {
      server.close();
      await query.close();
      await lake.release();
    },
  };
}
