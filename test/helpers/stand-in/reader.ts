import type { Sandbox } from "../../../sandbox/index.js";

/** The parsed body of a sync page. */
interface SyncBody {
  cursor: { next?: string | null };
  has_more: boolean;
  transactions: {
    created: { transaction_id: string }[];
    updated: { transaction_id: string }[];
    removed: string[];
  };
}

/** Asks the stand-in with its key, or another. */
export function get(sandbox: Sandbox, path: string, key = sandbox.apiKey): Promise<Response> {
  const authorization = `Basic ${Buffer.from(`${key}:`).toString("base64")}`;
  return fetch(sandbox.url + path, { headers: { authorization } });
}

/** The status and parsed body of a GET. */
export async function ask<T>(sandbox: Sandbox, path: string): Promise<{ status: number; body: T }> {
  const response = await get(sandbox, path);
  return { status: response.status, body: (await response.json()) as T };
}

/** One sync page. */
export function sync(sandbox: Sandbox, link: string, query: Record<string, string | number> = {}) {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) text.set(name, String(value));
  return ask<SyncBody>(sandbox, `/bank_links/${encodeURIComponent(link)}/transactions/sync?${text}`);
}

/** Reads an update to its end, as a correct reader does, into a map of rows; gives the stored cursor. */
export async function readUpdate(
  sandbox: Sandbox,
  link: string,
  rows: Map<string, object>,
  { cursor, size = 50 }: { cursor?: string; size?: number } = {},
): Promise<string> {
  let next = cursor;
  for (;;) {
    const { status, body } = await sync(sandbox, link, {
      size,
      ...(next === undefined ? {} : { cursor: next }),
    });
    if (status !== 200) throw new Error(`sync answered ${status}`);
    for (const row of body.transactions.created) rows.set(row.transaction_id, row);
    for (const row of body.transactions.updated) rows.set(row.transaction_id, row);
    for (const id of body.transactions.removed) rows.delete(id);
    next = body.cursor.next ?? next;
    if (!body.has_more) return next!;
  }
}
