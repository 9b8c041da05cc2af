import { readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Makes a reader of a lake that reads again only once one of the tables has another version: a test that waits for rows by
 * asking again and again would keep a core busy, and with it what it waits for.
 */
export function onceAVersion<R>(lake: () => string, read: (what: string) => Promise<R>) {
  const known = new Map<string, { readonly version: string; readonly found: R }>();
  return async (what: string): Promise<R> => {
    const version = await versionOf(lake());
    const before = known.get(what);
    if (before?.version === version) return before.found;
    const found = await read(what);
    known.set(what, { version, found });
    return found;
  };
}

async function versionOf(lake: string): Promise<string> {
  const tables = (await readdir(lake).catch(() => [])).filter((name) => !name.startsWith("_"));
  const logs = tables.map(async (table) => {
    const log = await readdir(join(lake, table, "_delta_log")).catch(() => []);
    return `${table} ${log.sort().join(" ")}`;
  });
  return [lake, ...(await Promise.all(logs)).sort()].join("\n");
}
