import { readFile } from "node:fs/promises";
import { Pool } from "undici";
import { mapConcurrent } from "../src/domain/concurrent-work.js";
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

type Get = <T>(path: string) => Promise<T>;

/** Goes through the nights and tells what the last one took. */
async function fetchAll(options: CeilingOptions): Promise<Ceiling> {
  const { url, apiKey, concurrency, nights } = options;
  const pool = new Pool(url, { connections: concurrency, pipelining: 1 });
  const headers = { authorization: `Basic ${Buffer.from(`${apiKey}:`).toString("base64")}` };
  let calls = 0;
  const get: Get = async <T>(path: string): Promise<T> => {
    const { statusCode, body } = await pool.request({ method: "GET", path, headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${path} was answered with ${statusCode}`);
    calls += 1;
    return JSON.parse(text) as T;
  };
  const users = await usersOf(options.roster);
  const cursors = new Map<string, string>();
  for (let night = 1; night < nights; night += 1) await fetchNight(get, options, users, cursors);
  calls = 0;
  const cpu = process.cpuUsage();
  const started = performance.now();
  const { rows, pages } = await fetchNight(get, options, users, cursors);
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  await pool.close();
  return { seconds, cpuSeconds: (user + system) / 1e6, rows, pages, calls };
}

async function usersOf(roster: string): Promise<string[]> {
  const lines = (await readFile(roster, "utf8")).trim().split("\n");
  return lines.slice(1).map((line) => line.split(",")[0] as string);
}

/** One night: links and accounts of each user, then each link from its cursor on. */
async function fetchNight(
  get: Get,
  { accounts, concurrency, pageSize }: CeilingOptions,
  users: readonly string[],
  cursors: Map<string, string>,
) {
  let rows = 0;
  let pages = 0;
  const links: string[] = [];
  await mapConcurrent(concurrency, users, async (user) => {
    const found = await get<LinksPage>(`/users/${user}/bank_links`);
    links.push(...found.links.map(({ id }) => id));
    if (accounts) await get(`/users/${user}/linked_bank_accounts`);
  });
  await mapConcurrent(concurrency, links, async (link) => {
    for (let more = true; more; ) {
      const cursor = cursors.get(link) ?? "";
      const query = `size=${pageSize}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
      const page = await get<SyncPage>(`/bank_links/${link}/transactions/sync?${query}`);
      const { created, updated, removed } = page.transactions;
      rows += created.length + updated.length + removed.length;
      pages += 1;
      cursors.set(link, page.cursor.next ?? "");
      more = page.has_more;
    }
  });
  return { rows, pages };
}

process.stdout.write(JSON.stringify(await fetchAll(JSON.parse(process.argv[2] ?? "{}") as CeilingOptions)));
