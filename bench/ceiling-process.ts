import { readFile } from "node:fs/promises";
import { Pool } from "undici";
import { mapConcurrent } from "../src/domain/map-concurrent.js";
import type { Ceiling, CeilingOptions } from "./ceiling.js";

interface LinksPage {
  readonly links: readonly { readonly id: string }[];
}

interface SyncPage {
  readonly cursor: { readonly next?: string | null };
  readonly has_more: boolean;
  readonly transactions: {
    readonly created: readonly unknown[];
    readonly updated: readonly unknown[];
    readonly removed: readonly unknown[];
  };
}

async function fetchAll({ url, apiKey, roster, concurrency, pageSize }: CeilingOptions): Promise<Ceiling> {
  const users = (await readFile(roster, "utf8"))
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(",")[0] as string);
  const pool = new Pool(url, { connections: concurrency, pipelining: 1 });
  const headers = { authorization: `Basic ${Buffer.from(`${apiKey}:`).toString("base64")}` };
  let rows = 0;
  let pages = 0;
  let calls = 0;
  const get = async <T>(path: string): Promise<T> => {
    const { statusCode, body } = await pool.request({ method: "GET", path, headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${path} was answered with ${statusCode}`);
    calls += 1;
    return JSON.parse(text) as T;
  };
  const started = performance.now();
  const links: string[] = [];
  await mapConcurrent(concurrency, users, async (user) => {
    const found = await get<LinksPage>(`/users/${user}/bank_links`);
    links.push(...found.links.map(({ id }) => id));
    await get(`/users/${user}/linked_bank_accounts`);
  });
  await mapConcurrent(concurrency, links, async (link) => {
    for (let cursor = "", more = true; more; ) {
      const query = `size=${pageSize}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
      const page = await get<SyncPage>(`/bank_links/${link}/transactions/sync?${query}`);
      const { created, updated, removed } = page.transactions;
      rows += created.length + updated.length + removed.length;
      pages += 1;
      cursor = page.cursor.next ?? "";
      more = page.has_more;
    }
  });
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  return { seconds, rows, pages, calls };
}

process.stdout.write(JSON.stringify(await fetchAll(JSON.parse(process.argv[2] ?? "{}") as CeilingOptions)));
