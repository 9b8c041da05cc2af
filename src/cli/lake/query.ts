import { stat } from "node:fs/promises";
import { readConfig } from "../../config.js";
import { InputError } from "../../domain/failures.js";
import { type LakeQuery, openQuery } from "../../lake/query/query.js";
import { temporaryScratch } from "../../lake/sql/scratch.js";
import { createLocalStore } from "../../lake/store/local-store.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { TABLES } from "../../tables.js";
import type { Terminal } from "../terminal/terminal.js";

/**
 * Opens the configured lake for reading and closes it again.
 *
 * @throws InputError when the lake is not there.
 */
export async function withLakeQuery<R>(
  terminal: Terminal,
  work: (lake: LakeQuery) => Promise<R>,
): Promise<R> {
  const { lake, warnings } = readConfig({ env: terminal.env, cwd: terminal.cwd }, ["lake"]);
  for (const warning of warnings) terminal.say(`warning: ${warning}`);
  if ((await stat(lake.address).catch(() => undefined)) === undefined) {
    throw new InputError(`NIGHTLEDGER_LAKE: ${lake.address} is not there yet; the first sync makes it`);
  }
  return withStoreQuery(createLocalStore(lake.address), work);
}

/** Opens the tables of a store for reading and closes them again. */
export async function withStoreQuery<R>(
  store: ObjectStore,
  work: (lake: LakeQuery) => Promise<R>,
): Promise<R> {
  // Reading must work on a lake that can't be written, so what SQL spills goes elsewhere.
  const query = openQuery(store, { scratchDirectory: await temporaryScratch(), tables: TABLES });
  try {
    return await work(query);
  } finally {
    await query.close();
  }
}
