import type { ObjectStore } from "../../../src/lake/store/object-store.js";
import type { UnsyncedNote, UnsyncedNotes } from "./unsynced-notes.js";

/**
 * Wraps a store so that everything that a power cut would undo is noted: puts without `durable`, objects that grow
 * and were not persisted, and deletions.
 */
export function notingUnsynced(store: ObjectStore, notes: UnsyncedNotes): ObjectStore {
  const note = (key: string) => notes.note(key, () => store.get(key));
  return {
    ...store,
    put: async (key, body, options) => {
      if (options?.durable !== true) await note(key);
      await store.put(key, body, options);
      if (options?.durable === true) await notes.remove([key]);
    },
    grow: async (key) => {
      await note(key);
      return store.grow(key);
    },
    putIfAbsent: async (key, body) => {
      const put = await store.putIfAbsent(key, body);
      await notes.remove([key]);
      return put;
    },
    persist: async (keys) => {
      await store.persist(keys);
      await notes.remove(keys);
    },
    uploadAll: async (files) => {
      await store.uploadAll(files);
      await notes.remove(files.map(({ key }) => key));
    },
    delete: async (key) => {
      await note(key);
      await store.delete(key);
    },
    deletePrefix: async (prefix, options) => {
      for (const folder of options?.folders?.map((name) => `${name}/`) ?? [""])
        for (const { key } of await store.list(`${prefix}${folder}`)) await note(key);
      await store.deletePrefix(prefix, options);
      if (options?.durable === true) await notes.removeBelow(prefix);
    },
  };
}

/**
 * Takes back what was not synced, as a power cut does. Of the objects that are lost, some are gone and some are
 * there without a byte, as file systems leave them; of the journals among these, the first half is there.
 */
export async function forgetUnsynced(store: ObjectStore, notes: readonly UnsyncedNote[]): Promise<void> {
  let odd = false;
  for (const { key, before } of notes) {
    odd = !odd;
    if (before !== undefined) await store.put(key, before);
    else if (odd) await store.delete(key);
    else if ((await store.stat(key)) !== undefined) await store.put(key, await left(store, key));
  }
}

/** What a power cut leaves of an object's bytes. */
async function left(store: ObjectStore, key: string): Promise<Uint8Array> {
  const bytes = (isJournal(key) && (await store.get(key))) || Buffer.alloc(0);
  return bytes.subarray(0, bytes.length / 2);
}

function isJournal(key: string): boolean {
  return /^_staging\/[^/]+\/journals\//.test(key);
}
