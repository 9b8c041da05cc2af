import { createHash, hash } from "node:crypto";
import { StagingLostError } from "./staging-lost-error.js";
import type { ObjectStore } from "./store/object-store.js";

/** What a staged response is named by: a repeated activity finds it and does not call again. */
export interface PageName {
  readonly runId: string;
  readonly stream: string;
  /** `link_id` or `fp_id`; only its hash becomes part of a path. */
  readonly owner: string;
  readonly attempt: number;
  readonly page: number;
}

/** A bad row of a staged page, as `<page>.bad.jsonl` holds it. */
export interface BadRow {
  readonly list: string;
  readonly index: number;
  readonly reason: string;
  /** The row's raw text, never a re-serialised number. */
  readonly payload: string;
}

/** A staged page as it stands in the store. */
interface StagedPage {
  readonly body: Buffer;
  /** The staged file's time: a repeated load gives the same rows. */
  readonly fetchedAt: Date;
}

function directory(name: Omit<PageName, "attempt" | "page">): string {
  const owner = ownerHash(name.owner);
  return `_staging/${name.runId}/${name.stream}/${owner}/`;
}

/** `_staging/<run_id>/<stream>/<hash of owner>/<attempt>-<page>.json` */
export function pageKey(name: PageName): string {
  return `${directory(name)}${name.attempt}-${name.page}.json`;
}

/** The part of a page's key that stands for its owner, so that no id becomes part of a path. */
export function ownerHash(owner: string): string {
  return createHash("sha256").update(owner).digest("hex").slice(0, 32);
}

/** Hash of a page's bytes: it binds what is kept beside a page to the very answer that it was made from. */
export function pageSha256(body: Uint8Array): string {
  return hash("sha256", body);
}

const SHA256_SHOWN = 16;

function beside(name: PageName, sha256: string, kind: string): string {
  return `${directory(name)}${name.attempt}-${name.page}.${sha256.slice(0, SHA256_SHOWN)}.${kind}`;
}

function cleanKey(name: PageName, sha256: string): string {
  return beside(name, sha256, "clean.json");
}

function badKey(name: PageName, sha256: string): string {
  return beside(name, sha256, "bad.jsonl");
}

/** The staging area of a lake: responses byte for byte, and what runs hand from one activity to the next. */
export class Staging {
  constructor(private readonly store: ObjectStore) {}

  /** The page if it is there; whether it is whole is the reader's to check. */
  async page(name: PageName, room?: (bytes: number) => Buffer): Promise<StagedPage | undefined> {
    const found = await this.store.read(pageKey(name), room);
    return found && { body: found.body, fetchedAt: found.modifiedAt };
  }

  /** As {@link page}, of one that must be there. @throws StagingLostError */
  async requirePage(name: PageName, room?: (bytes: number) => Buffer): Promise<StagedPage> {
    const found = await this.page(name, room);
    if (found === undefined) throw new StagingLostError(pageKey(name), "gone from the lake's staging area");
    return found;
  }

  /** The bytes of a page alone. */
  async body(name: PageName): Promise<Buffer | undefined> {
    return this.store.get(pageKey(name));
  }

  /** Size of a page as it was staged; undefined where it is not there. */
  async bytes(name: PageName): Promise<number | undefined> {
    return (await this.store.stat(pageKey(name)))?.size;
  }

  async putPage(name: PageName, body: Uint8Array): Promise<void> {
    await this.store.put(pageKey(name), body);
  }

  /** Makes staged pages durable: those that no hash is kept of, before a history says that they are there. */
  async persist(names: readonly PageName[]): Promise<void> {
    await this.store.persist(names.map(pageKey));
  }

  /**
   * Writes the clean page of the page with this hash, its bad rows first: a clean page that is there always has
   * them beside it. It stands for no other page of the same name, such as that of an attempt that was stalled and
   * goes on. Bad rows are made durable, because no hash would show that they are gone.
   */
  async putCleanPage(
    name: PageName,
    sha256: string,
    { clean, bad }: { readonly clean: string; readonly bad: readonly BadRow[] },
  ): Promise<void> {
    const durable = bad.length > 0;
    const lines = bad.map((row) => `${JSON.stringify(row)}\n`).join("");
    await this.store.put(badKey(name, sha256), lines, { durable });
    await this.store.put(cleanKey(name, sha256), clean, { durable });
  }

  /** The page with this hash without its bad rows, where it had some. */
  async cleanPage(name: PageName, sha256: string): Promise<Buffer | undefined> {
    const key = cleanKey(name, sha256);
    return (await this.store.stat(key)) && this.store.get(key);
  }

  /** The bad rows of the page with this hash, also where the page itself is gone by now. */
  async badRows(name: PageName, sha256: string): Promise<BadRow[]> {
    const text = await this.store.get(badKey(name, sha256));
    const lines = text?.toString("utf8").split("\n") ?? [];
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as BadRow);
  }

  async dropOwner(runId: string, stream: string, owner: string): Promise<void> {
    await this.store.deletePrefix(directory({ runId, stream, owner }));
  }

  /** Durably: once the run has ended, nobody deletes it again. */
  async dropRun(runId: string): Promise<void> {
    await this.store.deletePrefix(`_staging/${runId}/`, { durable: true });
  }

  /** Something of the run that is too large, or too personal, for a workflow's history, which names it: durable. */
  async putDocument(runId: string, name: string, value: unknown): Promise<void> {
    await this.store.put(documentKey(runId, name), JSON.stringify(value), { durable: true });
  }

  /** @throws StagingLostError when it is not there, or not whole. */
  async document<T>(runId: string, name: string): Promise<T> {
    const key = documentKey(runId, name);
    const body = await this.store.get(key);
    if (body === undefined) throw new StagingLostError(key, "gone from the lake's staging area");
    return wholeDocument(key, () => JSON.parse(body.toString("utf8")) as T);
  }
}

/** What was staged as JSON, read back. @throws StagingLostError where it is torn. */
export function wholeDocument<T>(key: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxError) throw new StagingLostError(key, "torn");
    throw error;
  }
}

function documentKey(runId: string, name: string): string {
  return `_staging/${runId}/${name}.json`;
}
