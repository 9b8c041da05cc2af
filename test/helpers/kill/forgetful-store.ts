import type { GrowingObject, ObjectEntry, ObjectStore } from "../../../src/lake/store/object-store.js";
import { appendedName, type StoreFault } from "./fault-store.js";
import { notesInMemory } from "./unsynced-notes.js";
import { forgetUnsynced, notingUnsynced } from "./unsynced-store.js";

export interface PowerCut {
  readonly on: StoreFault["on"] | "persist";
  /** Source of a regular expression that the key matches; of what is appended, its {@link appendedName}. */
  readonly key: string;
  /** Before the step, which then does not happen, or after it has. */
  readonly when: "before" | "after";
}

/** A store over a disk that keeps only what was synced once the power is cut. */
export interface ForgetfulStore extends ObjectStore {
  /** The cut that came; undefined while the power is on. */
  readonly cut: PowerCut | undefined;
  /** Resolves when the power is cut and the disk holds what it kept. */
  readonly dark: Promise<void>;
  powerCut(): Promise<void>;
}

const OFF = new Error("the power is off");

/**
 * Wraps a store so that a power cut takes everything that was not synced: what was put without `durable`, and what
 * was deleted comes back. Of the objects that are lost, some are gone and some are there without a byte, as file
 * systems leave them. From the cut on every step fails.
 */
export function forgetful(disk: ObjectStore, cuts: readonly PowerCut[] = []): ForgetfulStore {
  const notes = notesInMemory();
  const store = notingUnsynced(disk, notes);
  const under = new Set<Promise<unknown>>();
  let cut: PowerCut | undefined;
  let off = false;
  let wentDark = () => {};
  const dark = new Promise<void>((resolve) => {
    wentDark = resolve;
  });

  async function powerCut(): Promise<void> {
    if (off) return dark;
    off = true;
    await Promise.allSettled(under);
    await forgetUnsynced(disk, notes.all());
    wentDark();
  }

  function step<T>(on: PowerCut["on"] | "read", keys: readonly string[], work: () => Promise<T>): Promise<T> {
    if (off) return Promise.reject(OFF);
    const met = metBy(on, keys);
    if (met?.when === "before") return Promise.reject(strike(met));
    const done = work();
    under.add(done);
    const forget = () => under.delete(done);
    done.then(forget, forget);
    return done.then((value) => {
      if (off) throw OFF;
      if (met !== undefined) throw strike(met);
      return value;
    });
  }

  function metBy(on: PowerCut["on"] | "read", keys: readonly string[]): PowerCut | undefined {
    return cuts.find((one) => one.on === on && keys.some((key) => new RegExp(one.key).test(key)));
  }

  function strike(met: PowerCut): Error {
    cut ??= met;
    void powerCut();
    return OFF;
  }

  function growing(key: string, object: GrowingObject): GrowingObject {
    return {
      append(parts) {
        if (off) throw OFF;
        const met = metBy("append", [appendedName(key, parts)]);
        if (met?.when === "before") throw strike(met);
        const at = object.append(parts);
        if (met !== undefined) throw strike(met);
        return at;
      },
      close: () => object.close(),
    };
  }

  const read =
    <A extends readonly unknown[], T>(work: (...given: A) => Promise<T>) =>
    (...given: A) =>
      step("read", [], () => work(...given));

  return {
    ...store,
    get cut() {
      return cut;
    },
    dark,
    powerCut,
    get: read(store.get),
    readRange: read(store.readRange),
    grow: read(async (key: string) => growing(key, await store.grow(key))),
    stat: read(store.stat),
    stats: read(store.stats),
    list: read(
      (prefix: string, startAfter?: string): Promise<ObjectEntry[]> => store.list(prefix, startAfter),
    ),
    folders: read(store.folders),
    download: read(store.download),
    put: (key, body, options) => step("put", [key], () => store.put(key, body, options)),
    putIfAbsent: (key, body) => step("putIfAbsent", [key], () => store.putIfAbsent(key, body)),
    persist: (keys) => step("persist", keys, () => store.persist(keys)),
    uploadAll: (files) =>
      step(
        "upload",
        files.map(({ key }) => key),
        () => store.uploadAll(files),
      ),
    delete: (key) => step("delete", [key], () => store.delete(key)),
    deletePrefix: (prefix, options) =>
      step("deletePrefix", [prefix], () => store.deletePrefix(prefix, options)),
  };
}
