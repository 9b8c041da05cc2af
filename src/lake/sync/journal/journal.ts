import { hash, randomUUID } from "node:crypto";
import { StagingLostError } from "../../../domain/failures.js";
import type { Place } from "../../../domain/sync/place.js";
import type { GrowingObject, ObjectStore } from "../../store/object-store.js";

/** The line before a record's body. */
interface RecordHeader {
  readonly kind: "page" | "clean" | "bad" | "link" | "lists" | "report";
  readonly at: string;
  readonly bytes: number;
  readonly sha256: string;
  /** By which a repeated activity finds it. */
  readonly page?: PageName;
  /** Where bad rows were cut out. */
  readonly cleaned?: CleanedPlaces;
}

export interface PageName {
  readonly stream: string;
  /** `link_id` or `fp_id`. */
  readonly owner: string;
  readonly attempt: number;
  readonly page: number;
  /** Of cursor and committed state: a page after others must not be reused. */
  readonly after: string;
}

export function nameKey({ stream, owner, attempt, page, after }: PageName): string {
  return JSON.stringify([stream, owner, attempt, page, after]);
}

export interface CleanedPlaces {
  readonly clean: Place;
  readonly bad: Place;
}

export interface StagedRecord {
  readonly header: RecordHeader;
  readonly body: Buffer;
}

const END = Buffer.from("\n");
export const LONGEST_HEADER = 32_768;

const SHORT_HASH = 16;

function shortHash(sha256: string): string {
  return sha256.slice(0, SHORT_HASH);
}

/** Reads the record at the beginning of some bytes; undefined if it is torn or does not match its hash. */
export function unframed(bytes: Buffer): (StagedRecord & { readonly length: number }) | undefined {
  const head = headerOf(bytes);
  if (head === undefined) return undefined;
  const { header, from } = head;
  const length = from + header.bytes + 1;
  if (bytes.length < length || bytes[length - 1] !== END[0]) return undefined;
  const body = bytes.subarray(from, length - 1);
  return hash("sha256", body) === header.sha256 ? { header, body, length } : undefined;
}

/** Reads a header, and where its body begins; undefined if it is torn. */
export function headerOf(
  bytes: Buffer,
): { readonly header: RecordHeader; readonly from: number } | undefined {
  const end = bytes.subarray(0, LONGEST_HEADER).indexOf(END);
  if (end === -1) return undefined;
  try {
    const header = JSON.parse(bytes.toString("utf8", 0, end)) as RecordHeader;
    return Number.isSafeInteger(header?.bytes) && header.bytes >= 0 ? { header, from: end + 1 } : undefined;
  } catch {
    return undefined;
  }
}

export function journalPrefix(runId: string, folder?: string): string {
  const run = `_staging/${runId}/journals/`;
  return folder === undefined ? run : `${run}${folder}/`;
}

export function journalKey(runId: string, journal: string): string {
  return `${journalPrefix(runId)}${journal}`;
}

type Description = Pick<RecordHeader, "kind" | "page" | "cleaned">;

/** What one attempt of an activity stages, in one object (docs/inside/rules.md, "Staging"). */
export class Journal {
  readonly name: string;
  #object: Promise<GrowingObject> | undefined;

  /** @param folder each attempt has its own journal there */
  constructor(
    private readonly store: ObjectStore,
    private readonly runId: string,
    folder: string,
  ) {
    this.name = `${folder}/${randomUUID().slice(0, 8)}`;
  }

  /** @throws StoreFullError on a full disk; nothing of the record is left */
  async add(description: Description, body: Uint8Array, sha256 = hash("sha256", body)): Promise<Place> {
    this.#object ??= this.store.grow(journalKey(this.runId, this.name));
    const object = await this.#object;
    const header: RecordHeader = { ...description, at: new Date().toISOString(), bytes: body.length, sha256 };
    const parts = [Buffer.from(`${JSON.stringify(header)}\n`), body, END];
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

/** As {@link readRecord}. @throws StagingLostError */
export async function stagedRecord(store: ObjectStore, runId: string, place: Place): Promise<StagedRecord> {
  const record = await readRecord(store, runId, place);
  if (record === undefined) throw new StagingLostError(journalKey(runId, place.journal), "torn");
  return record;
}

/** Reads a record's value. @throws StagingLostError */
export async function readValue<T>(store: ObjectStore, runId: string, place: Place): Promise<T> {
  const { body } = await stagedRecord(store, runId, place);
  return JSON.parse(body.toString("utf8")) as T;
}

export interface BadRow {
  readonly list: string;
  readonly index: number;
  readonly reason: string;
  /** Raw, never a re-serialised number. */
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

/** Reads bad rows; undefined if they are lost. */
export async function readBadRows(
  store: ObjectStore,
  runId: string,
  place: Place,
): Promise<BadRow[] | undefined> {
  const record = await readRecord(store, runId, place);
  const lines = record?.body.toString("utf8").split("\n");
  return lines?.filter((line) => line !== "").map((line) => JSON.parse(line) as BadRow);
}

/** Pages that lost attempts of a slice staged, by {@link nameKey}. */
export type LostAttempts = Map<string, Place>;

/** Finds what journals hold. A torn record ends its journal: nothing tells where the next one begins. */
export async function lostAttempts(
  store: ObjectStore,
  runId: string,
  folders: readonly string[],
): Promise<LostAttempts> {
  const prefix = journalPrefix(runId);
  const places = new Map<string, Place>();
  const listed = await Promise.all(folders.map((folder) => store.list(journalPrefix(runId, folder))));
  for (const { key } of listed.flat()) {
    const journal = key.slice(prefix.length);
    const bytes = (await store.get(key)) ?? Buffer.alloc(0);
    let at = 0;
    for (let record = unframed(bytes); record !== undefined; record = unframed(bytes.subarray(at))) {
      const { header, length } = record;
      const place = { journal, at, bytes: length, sha256: shortHash(header.sha256) };
      if (header.page !== undefined) places.set(nameKey(header.page), place);
      at += length;
    }
  }
  return places;
}

/** Lists the pages that a run has staged, by the headers of its journals. */
export async function* namedPages(store: ObjectStore, runId: string): AsyncGenerator<PageName> {
  for (const { key } of await store.list(journalPrefix(runId))) {
    for (let at = 0; ; ) {
      const head = headerOf((await store.readRange(key, at, LONGEST_HEADER)) ?? Buffer.alloc(0));
      if (head === undefined) break;
      if (head.header.page !== undefined) yield head.header.page;
      at += head.from + head.header.bytes + 1;
    }
  }
}
