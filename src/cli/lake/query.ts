import { join } from "node:path";
import { readConfig } from "../../config.js";
import { InputError } from "../../domain/failures.js";
import { isS3Address, type LakePlace } from "../../domain/lake-address.js";
import type { Sealer } from "../../domain/sealer.js";
import type { LakeQuery } from "../../lake/query/query.js";
import { rowsOf, withStoreQuery } from "../../lake/query/store-query.js";
import { sqlName } from "../../lake/sql/duckdb-sql.js";
import { Scratch } from "../../lake/sql/scratch.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { openStore } from "../../lake/store/open-store.js";
import { TABLES } from "../../tables.js";
import { createSealer } from "../../temporal/encryption/cipher.js";
import { findKeys } from "../session/preflight.js";
import type { Terminal } from "../terminal/terminal.js";

/** Undefined for a lake: a wrong directory must not answer as an empty one. */
export async function whyNoLake(store: ObjectStore): Promise<string | undefined> {
  if (!(await store.isThere())) return `${store.address} does not exist yet; the first sync creates it`;
  if (await isLake(store)) return undefined;
  return `${store.address} is no lake: it has neither tables nor what a job writes at first. Name the lake that jobs write to, or sync first.`;
}

async function isLake(store: ObjectStore): Promise<boolean> {
  const folders = await store.folders("");
  if (folders.includes("_nightledger")) return true;
  for (const { name } of TABLES.filter((one) => folders.includes(one.name))) {
    if ((await store.folders(`${name}/`)).includes("_delta_log")) return true;
  }
  return false;
}

/** @throws InputError when there is none, or something else */
export async function existingLake(terminal: Terminal): Promise<LakePlace> {
  const { lake, warnings } = readConfig(terminal, ["lake"]);
  for (const warning of warnings) terminal.say(`warning: ${warning}`);
  const absent = await whyNoLake(openStore(lake));
  if (absent !== undefined) throw new InputError(`NIGHTLEDGER_LAKE: ${absent}`);
  return lake;
}

/** @throws InputError when there is no lake */
export async function lakeStore(terminal: Terminal): Promise<ObjectStore> {
  return openStore(await existingLake(terminal));
}

/** For a proof: this machine's copies prove nothing of a bucket. */
export async function withUncopied<R>(
  place: LakePlace,
  work: (store: ObjectStore) => Promise<R>,
): Promise<R> {
  const { scratch } = place;
  if (!isS3Address(place.address)) return work(openStore(place));
  // A later proof removes what a killed one copied.
  const proof = new Scratch(join(scratch.directory, "proofs"));
  try {
    await proof.open();
    return await work(openStore({ ...place, scratch: { ...scratch, directory: proof.files } }));
  } finally {
    await proof.close();
  }
}

/**
 * Opens the lake for reading.
 * @param decrypt opens encrypted columns
 * @throws InputError when the lake or its keys are missing
 */
export async function withLakeQuery<R>(
  terminal: Terminal,
  work: (lake: LakeQuery) => Promise<R>,
  decrypt = false,
): Promise<R> {
  const store = await lakeStore(terminal);
  const sealer = decrypt ? await lakeSealer(terminal, store) : undefined;
  return withStoreQuery(store, work, { tables: TABLES, ...(sealer && { sealer }) });
}

/** @throws InputError for missing or other keys */
async function lakeSealer(terminal: Terminal, store: ObjectStore): Promise<Sealer> {
  const config = readConfig(terminal, ["home", "keys"]);
  const keys = await findKeys(store, config);
  if (keys !== undefined) return createSealer(keys);
  throw new InputError(
    `NIGHTLEDGER_ENCRYPTION_KEYS: not set, and ${config.home.path} holds no keys, so nothing can be decrypted. Set ` +
      "the keys of the workers that wrote the tables, or the NIGHTLEDGER_HOME that made the keys.",
  );
}

/** Names of a row's texts, numbers, and texts that may be null. */
export type SqlRow<
  Text extends string,
  Count extends string = never,
  Maybe extends string = never,
> = Readonly<Record<Text, string> & Record<Count, number> & Record<Maybe, string | null>>;

type ListSql<Row> = string & { readonly row?: Row };

export function listOf<Row>(sql: string): ListSql<Row> {
  return sql;
}

/**
 * Reads some lists by one statement, at the same versions.
 * @param shared `with …` for all of them
 */
export async function listsOf<Lists extends Readonly<Record<string, unknown>>>(
  query: LakeQuery,
  lists: { readonly [Name in keyof Lists]: ListSql<Lists[Name]> },
  shared = "",
): Promise<{ readonly [Name in keyof Lists]: readonly Lists[Name][] }> {
  const columns = Object.entries<string>(lists).map(
    ([name, sql]) => `coalesce((select list(one) from (${sql}) as one), []) as ${sqlName(name)}`,
  );
  const [row] = await rowsOf(query, `${shared} select ${columns.join(", ")}`);
  return row as { readonly [Name in keyof Lists]: readonly Lists[Name][] };
}
