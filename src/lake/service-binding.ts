import { hash, randomUUID } from "node:crypto";
import { InputError } from "../domain/failures.js";
import { jsonObjectOf } from "../domain/json/value.js";
import type { KeyMode } from "../domain/service/key-mode.js";
import { createLocalStore } from "./store/local/local-store.js";
import type { ObjectStore } from "./store/object-store.js";

/** Readers of tables skip leading underscores. */
const BINDING_KEY = "_nightledger/service.json";

export interface ServiceAddress {
  readonly url: string;
  /** Null if the key does not say. */
  readonly mode: KeyMode | null;
}

/** The service that a lake belongs to. */
export interface ServiceBinding extends ServiceAddress {
  /** Part of every key of what was done; it stays when the service's address changes. */
  readonly id: string;
  /** Made once: tells the lake from another one in its place. */
  readonly lake: string;
}

/** @throws InputError where the file is torn or not ours */
export async function readBinding(store: ObjectStore): Promise<ServiceBinding | undefined> {
  const body = await store.get(BINDING_KEY);
  if (body === undefined) return undefined;
  const { id, lake, url, mode } = jsonObjectOf(body.toString("utf8")) ?? {};
  const isMode = mode === null || mode === "test" || mode === "live";
  if (typeof id === "string" && typeof lake === "string" && typeof url === "string" && isMode)
    return { id, lake, url, mode };
  throw new InputError(
    `${BINDING_KEY} in the lake ${store.address} does not say which service the lake belongs to. ` +
      "Nothing was changed. Name another lake in NIGHTLEDGER_LAKE, or restore the file.",
  );
}

/** @throws InputError naming both addresses, for another service or mode */
export async function checkBinding(
  store: ObjectStore,
  asked: ServiceAddress,
): Promise<ServiceBinding | undefined> {
  const bound = await readBinding(store);
  if (bound === undefined) return undefined;
  if (bound.url !== asked.url) {
    throw new InputError(
      `NIGHTLEDGER_API_URL: the lake ${store.address} belongs to the service at ${bound.url}, and this command is ` +
        `for ${asked.url}. Nothing was started. Name another lake in NIGHTLEDGER_LAKE; if the service has moved ` +
        "to the new address, run `nightledger rebind` first.",
    );
  }
  if (bound.mode !== null && asked.mode !== null && bound.mode !== asked.mode) {
    throw new InputError(
      `NIGHTLEDGER_API_KEY: the lake ${store.address} holds ${bound.mode} data of ${bound.url}, and this is a ` +
        `${asked.mode} key. Nothing was started. Name another lake in NIGHTLEDGER_LAKE.`,
    );
  }
  return bound;
}

/**
 * The lake's binding, or the one that it will get: the id follows from lake, address and mode.
 * @throws InputError where it belongs to another service
 */
export async function expectBinding(store: ObjectStore, asked: ServiceAddress): Promise<ServiceBinding> {
  const bound = await checkBinding(store, asked);
  if (bound !== undefined) return bound;
  const from = JSON.stringify([store.address, asked.url, asked.mode]);
  const id = hash("sha256", from).slice(0, 16);
  return { id, lake: randomUUID(), url: asked.url, mode: asked.mode };
}

/**
 * Binds a lake at its first use.
 * @throws InputError where it belongs to another service, or got another id meanwhile
 */
export async function ensureBinding(store: ObjectStore, expected: ServiceBinding): Promise<ServiceBinding> {
  const asked = { url: expected.url, mode: expected.mode };
  let bound = await checkBinding(store, asked);
  if (bound === undefined) {
    await store.checkRequests();
    if (await store.putIfAbsent(BINDING_KEY, text(expected))) await store.putIfAbsent(README_KEY, README);
    bound = await checkBinding(store, asked);
  }
  if (bound?.id === expected.id) return bound;
  throw new InputError(
    `Another command has just bound the lake ${store.address} to its service. Nothing was started; run the command again.`,
  );
}

/** Another lake, or none, is in its place; `found` is that one's id. */
export function lakeIsGone(address: string, found: string | undefined): InputError {
  const there = found === undefined ? `it has no ${BINDING_KEY}` : "another lake is in its place";
  return new InputError(
    `The lake that was in ${address} is gone: ${there}. Nothing was started, and nothing was written. ` +
      "Mount it, or bring it back from a backup; if it is gone for good, start a new one with `--new-lake`, for example `nightledger dev --new-lake`.",
  );
}

/** A check that throws {@link lakeIsGone} once another lake is in the place. */
export function sameLake(store: ObjectStore): () => Promise<void> {
  let first: string | undefined;
  return async () => {
    const found = (await readBinding(store))?.lake;
    first ??= found;
    if (found !== first) throw lakeIsGone(store.address, found);
  };
}

/** The service has another address; the id stays, with every key. */
export async function rebind(store: ObjectStore, moved: ServiceAddress): Promise<ServiceBinding> {
  const bound = await readBinding(store);
  if (bound === undefined) {
    throw new InputError(
      `The lake ${store.address} belongs to no service yet, so there is nothing to change: its first job binds it.`,
    );
  }
  if (bound.mode !== null && moved.mode !== null && bound.mode !== moved.mode) {
    throw new InputError(
      `NIGHTLEDGER_API_KEY: the lake ${store.address} holds ${bound.mode} data, and this is a ${moved.mode} key. ` +
        "Nothing was changed. A lake never changes its mode; name another lake in NIGHTLEDGER_LAKE.",
    );
  }
  const binding = { ...bound, url: moved.url, mode: bound.mode ?? moved.mode };
  await store.put(BINDING_KEY, text(binding), { durable: true });
  return binding;
}

function text({ id, lake, url, mode }: ServiceBinding): string {
  return `${JSON.stringify({ id, lake, url, mode })}\n`;
}

/** For whoever finds the lake without the program. */
const README_KEY = "README.txt";

const README = `This is a lake of Nightledger: each folder is a table of the Delta Lake format.

Read a table by its log (its folder _delta_log), as any reader of Delta tables does:

  nightledger query "select * from transactions limit 20"
  DuckDB, with its extension delta:   from delta_scan('<this folder>/transactions')
  Python:                             polars.scan_delta("<this folder>/transactions")
  without Delta, any DuckDB:          nightledger views --out lake.duckdb

Do not read *.parquet of a folder. Files stay after their rows were replaced or deleted, until
somebody vacuums the table, so around the log you see rows that are gone, and others twice.

Names that begin with an underscore belong to the program. The log of each table says what
the table and its columns mean; docs/use/tables.md of the program says more.
`;

/** The lake that a HOME knows in a place (docs/run/errors.md, "A lake that is gone"). */
export async function knownLake(home: string, address: string): Promise<string | undefined> {
  return (await createLocalStore(home).get(knownLakeKey(address)))?.toString("utf8");
}

export async function rememberLake(home: string, address: string, lake: string): Promise<void> {
  if ((await knownLake(home, address)) === lake) return;
  await createLocalStore(home).put(knownLakeKey(address), lake, { durable: true });
}

function knownLakeKey(address: string): string {
  return `lakes/${hash("sha256", address).slice(0, 16)}`;
}
