import { createHash } from "node:crypto";
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
export interface StagedPage {
  readonly body: Buffer;
  /** The staged file's time: a repeated load gives the same rows. */
  readonly fetchedAt: Date;
}

function directory(name: Omit<PageName, "attempt" | "page">): string {
  const owner = createHash("sha256").update(name.owner).digest("hex").slice(0, 32);
  return `_staging/${name.runId}/${name.stream}/${owner}/`;
}

/** `_staging/<run_id>/<stream>/<hash of owner>/<attempt>-<page>.json` */
export function pageKey(name: PageName): string {
  return `${directory(name)}${name.attempt}-${name.page}.json`;
}

function cleanKey(name: PageName): string {
  return `${directory(name)}${name.attempt}-${name.page}.clean.json`;
}

function badKey(name: PageName): string {
  return `${directory(name)}${name.attempt}-${name.page}.bad.jsonl`;
}

/** The staging area of a lake: responses byte for byte, and what runs hand from one activity to the next. */
export class Staging {
  constructor(private readonly store: ObjectStore) {}

  /** The page if it is there; whether it is whole is the reader's to check. */
  async page(name: PageName, room?: (bytes: number) => Buffer): Promise<StagedPage | undefined> {
    const found = await this.store.read(pageKey(name), room);
    return found && { body: found.body, fetchedAt: found.modifiedAt };
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

  /** Writes the bad rows first: a clean page that is there always has them beside it. */
  async putCleanPage(name: PageName, clean: string, bad: readonly BadRow[]): Promise<void> {
    await this.store.put(badKey(name), bad.map((row) => `${JSON.stringify(row)}\n`).join(""));
    await this.store.put(cleanKey(name), clean);
  }

  /** Takes a clean page away that belongs to another answer than the one that is staged next. */
  async dropCleanPage(name: PageName): Promise<void> {
    await this.store.delete(cleanKey(name));
    await this.store.delete(badKey(name));
  }

  async badRows(name: PageName): Promise<BadRow[]> {
    const text = await this.store.get(badKey(name));
    if (text === undefined) return [];
    return text
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as BadRow);
  }

  /** The page without its bad rows, where it had some. */
  async cleanPage(name: PageName): Promise<Buffer | undefined> {
    return (await this.store.stat(cleanKey(name))) && this.store.get(cleanKey(name));
  }

  /** Size of what SQL reads of a page, whether that is a clean page, and the time of the page itself. */
  async describe(name: PageName): Promise<{ clean: boolean; bytes: number; fetchedAt: Date }> {
    const [page, clean] = await Promise.all([
      this.store.stat(pageKey(name)),
      this.store.stat(cleanKey(name)),
    ]);
    if (page === undefined) throw new Error(`${pageKey(name)} is gone from the lake's staging area`);
    return { clean: clean !== undefined, bytes: (clean ?? page).size, fetchedAt: page.modifiedAt };
  }

  async dropOwner(runId: string, stream: string, owner: string): Promise<void> {
    await this.store.deletePrefix(directory({ runId, stream, owner }));
  }

  async dropRun(runId: string): Promise<void> {
    await this.store.deletePrefix(`_staging/${runId}/`);
  }

  /** Something of the run that is too large, or too personal, for a workflow's history. */
  async putDocument(runId: string, name: string, value: unknown): Promise<void> {
    await this.store.put(documentKey(runId, name), JSON.stringify(value));
  }

  /** @throws Error when it is not there: staging was deleted under a run that is still going. */
  async document<T>(runId: string, name: string): Promise<T> {
    const key = documentKey(runId, name);
    const body = await this.store.get(key);
    if (body === undefined) {
      throw new Error(
        `${key} is gone from the lake's staging area; start the job again to read everything anew`,
      );
    }
    return JSON.parse(body.toString("utf8")) as T;
  }
}

function documentKey(runId: string, name: string): string {
  return `_staging/${runId}/${name}.json`;
}
