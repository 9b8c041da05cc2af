import { hash, randomUUID } from "node:crypto";
import type { Place } from "../../../domain/sync/place.js";
import { StagingLostError } from "../../staging-lost-error.js";
import type { GrowingObject, ObjectStore } from "../../store/object-store.js";
import {
  type CleanedPlaces,
  framed,
  type RecordHeader,
  type StagedRecord,
  shortHash,
  unframed,
} from "./record.js";

/** Gives the key prefix of a run's journals, or of one folder of them. */
export function journalPrefix(runId: string, folder?: string): string {
  const run = `_staging/${runId}/journals/`;
  return folder === undefined ? run : `${run}${folder}/`;
}

export function journalKey(runId: string, journal: string): string {
  return `${journalPrefix(runId)}${journal}`;
}

/** The part of a header that {@link Journal.add} can't find out itself. */
type Description = Pick<RecordHeader, "kind" | "page" | "cleaned">;

/**
 * What one attempt of an activity stages: a sequence of records in one object, which the first record makes
 * (docs/inside/rules.md, "Staging").
 */
export class Journal {
  readonly name: string;
  #object: Promise<GrowingObject> | undefined;

  /** @param folder names the work; each attempt at it has its own journal there */
  constructor(
    private readonly store: ObjectStore,
    private readonly runId: string,
    folder: string,
  ) {
    this.name = `${folder}/${randomUUID().slice(0, 8)}`;
  }

  /** Appends a record. @throws StoreFullError on a full disk; nothing of the record is left */
  async add(description: Description, body: Uint8Array, sha256 = hash("sha256", body)): Promise<Place> {
    this.#object ??= this.store.grow(journalKey(this.runId, this.name));
    const object = await this.#object;
    const header: RecordHeader = { ...description, at: new Date().toISOString(), bytes: body.length, sha256 };
    const parts = framed(header, body);
    const at = object.append(parts);
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    return { journal: this.name, at, bytes, sha256: shortHash(sha256) };
  }

  addValue(kind: RecordHeader["kind"], value: unknown): Promise<Place> {
    return this.add({ kind }, Buffer.from(JSON.stringify(value)));
  }

  async persist(): Promise<void> {
    if (this.#object !== undefined) await this.store.persist([journalKey(this.runId, this.name)]);
  }

  async close(): Promise<void> {
    await (await this.#object?.catch(() => undefined))?.close();
  }
}

/** Reads the record at a place; undefined if it is gone, torn, or another one. */
export async function readRecord(
  store: ObjectStore,
  runId: string,
  { journal, at, bytes, sha256 }: Place,
): Promise<StagedRecord | undefined> {
  const found = await store.readRange(journalKey(runId, journal), at, bytes);
  const record = found && unframed(found);
  return record !== undefined && shortHash(record.header.sha256) === sha256 ? record : undefined;
}

/** Reads the value at a place. @throws StagingLostError */
export async function readValue<T>(store: ObjectStore, runId: string, place: Place): Promise<T> {
  const record = await readRecord(store, runId, place);
  if (record === undefined) throw new StagingLostError(journalKey(runId, place.journal), "torn");
  return JSON.parse(record.body.toString("utf8")) as T;
}

export interface BadRow {
  readonly list: string;
  readonly index: number;
  readonly reason: string;
  /** The row's raw text, never a re-serialised number. */
  readonly payload: string;
}

export interface CleanedPage {
  readonly clean: string;
  readonly bad: readonly BadRow[];
}

/** Appends a cleaned page, before the page itself or instead of it. */
export async function addCleaned(journal: Journal, { clean, bad }: CleanedPage): Promise<CleanedPlaces> {
  const cleanPlace = await journal.add({ kind: "clean" }, Buffer.from(clean));
  const lines = bad.map((row) => `${JSON.stringify(row)}\n`).join("");
  return { clean: cleanPlace, bad: await journal.add({ kind: "bad" }, Buffer.from(lines)) };
}

/** Reads the bad rows at a place; undefined if they are lost. */
export async function readBadRows(
  store: ObjectStore,
  runId: string,
  place: Place,
): Promise<BadRow[] | undefined> {
  const record = await readRecord(store, runId, place);
  const lines = record?.body.toString("utf8").split("\n");
  return lines?.filter((line) => line !== "").map((line) => JSON.parse(line) as BadRow);
}
