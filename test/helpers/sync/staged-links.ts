import type { LinkRecord } from "../../../src/domain/sync/link.js";
import type { Place } from "../../../src/domain/sync/place.js";
import type { ObjectStore } from "../../../src/lake/store/object-store.js";
import { Journal, journalKey, journalPrefix } from "../../../src/lake/sync/journal/journal.js";

/** Stages what a slice found of a link, unless said otherwise a new one of user `fp_1`; names its record. */
export async function stageLink(
  store: ObjectStore,
  record: Partial<LinkRecord> & Pick<LinkRecord, "link_id">,
  { runId = "run", slice = 0 } = {},
): Promise<Place> {
  const journal = new Journal(store, runId, `${slice}`);
  const place = await journal.addValue("link", {
    fp_id: "fp_1",
    external_id: null,
    base: null,
    started_at: new Date(0).toISOString(),
    ...record,
  } satisfies LinkRecord);
  await journal.close();
  return place;
}

/** Changes the last byte of a record's body, as a bad disk does. */
export async function flipByte(
  store: ObjectStore,
  { journal, at, bytes }: Place,
  runId = "run",
): Promise<void> {
  const key = journalKey(runId, journal);
  const all = Buffer.from((await store.get(key)) ?? "");
  const last = at + bytes - 2;
  all.writeUInt8(all.readUInt8(last) ^ 1, last);
  await store.put(key, all);
}

/** Keys of the journals in a folder of a run. */
export async function journalsIn(store: ObjectStore, folder: string, runId = "run"): Promise<string[]> {
  return (await store.list(journalPrefix(runId, folder))).map(({ key }) => key);
}
