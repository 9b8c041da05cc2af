import type { Place } from "../../../domain/sync/place.js";
import type { ObjectStore } from "../../store/object-store.js";
import {
  headerOf,
  journalPrefix,
  LONGEST_HEADER,
  nameKey,
  type PageName,
  shortHash,
  unframed,
} from "./journal.js";

/** The places of pages that lost attempts of a slice staged completely, by {@link nameKey}. */
export type LostAttempts = ReadonlyMap<string, Place>;

/** Reads the journals in some folders. A torn record ends its journal: nothing tells where the next record begins. */
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

/** Lists the names of the pages that a run has staged. It reads only the headers of its journals. */
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
