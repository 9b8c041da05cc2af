import type { Place } from "../../../domain/sync/place.js";
import type { ObjectStore } from "../../store/object-store.js";
import { journalPrefix } from "./journal.js";
import { headerOf, LONGEST_HEADER, nameKey, type PageName, shortHash, unframed } from "./record.js";

/** Pages that lost attempts of a slice staged whole, each found by its name. */
export class LostAttempts {
  readonly #places: ReadonlyMap<string, Place>;

  private constructor(places: ReadonlyMap<string, Place>) {
    this.#places = places;
  }

  /** A first attempt: nothing was lost. */
  static readonly NONE = new LostAttempts(new Map());

  /**
   * Reads the journals in some folders. What stands behind a torn record of one is not looked at: where it began can't be
   * told.
   */
  static async of(store: ObjectStore, runId: string, folders: readonly string[]): Promise<LostAttempts> {
    const prefix = journalPrefix(runId);
    const places = new Map<string, Place>();
    const listed = await Promise.all(folders.map((folder) => store.list(journalPrefix(runId, folder))));
    for (const { key } of listed.flat()) {
      const bytes = (await store.get(key)) ?? Buffer.alloc(0);
      for (let at = 0; ; ) {
        const record = unframed(bytes.subarray(at));
        if (record === undefined) break;
        const { header, length } = record;
        const place = {
          journal: key.slice(prefix.length),
          at,
          bytes: length,
          sha256: shortHash(header.sha256),
        };
        if (header.page !== undefined) places.set(nameKey(header.page), place);
        at += length;
      }
    }
    return new LostAttempts(places);
  }

  /** Where a page stands; undefined where it must be asked for. */
  find(name: PageName): Place | undefined {
    return this.#places.get(nameKey(name));
  }
}

/** Names of the pages that a run has staged, as the headers of its journals tell them: bodies are not read. */
export async function* namedPages(store: ObjectStore, runId: string): AsyncGenerator<PageName> {
  const prefix = journalPrefix(runId);
  for (const { key } of await store.list(prefix)) {
    for (let at = 0; ; ) {
      const head = headerOf((await store.readRange(key, at, LONGEST_HEADER)) ?? Buffer.alloc(0));
      if (head === undefined) break;
      if (head.header.page !== undefined) yield head.header.page;
      at += head.from + head.header.bytes + 1;
    }
  }
}
