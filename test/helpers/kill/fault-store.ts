import { StoreFullError } from "../../../src/lake/store/local/local-store-errors.js";
import type { GrowingObject, ObjectStore } from "../../../src/lake/store/object-store.js";
import { headerOf } from "../../../src/lake/sync/journal/journal.js";

/** Something that goes wrong at one step of a store; plain JSON, so that another process can be told of it. */
export interface StoreFault {
  readonly on: "put" | "append" | "putIfAbsent" | "upload" | "delete" | "deletePrefix";
  /** Source of a regular expression that the key matches; of what is appended, its {@link appendedName}. */
  readonly key: string;
  /** Before the step, which then does not happen, or after it has. */
  readonly when: "before" | "after";
  /** An error as of a lost answer, a full disk, or the process killed by SIGKILL. */
  readonly effect: "lost" | "full" | "kill";
  /** Only the n-th match, from 1 (the default); 0 for every match until `mend`. */
  readonly nth?: number;
  /** The next look at the same key fails too: whether the step happened can't be found out at once. */
  readonly blind?: boolean;
}

/** A store with faults; `fired` names those that were met, in their order. */
export interface FaultStore extends ObjectStore {
  readonly fired: readonly StoreFault[];
  /** From now on nothing goes wrong any more. */
  mend(): void;
}

/** How faults name a record that is appended to a journal: its key, its kind and a page's stream. */
export function appendedName(key: string, [head = Buffer.alloc(0)]: readonly Uint8Array[]): string {
  const header = headerOf(Buffer.from(head))?.header;
  const stream = header?.page?.stream;
  return [key, header?.kind ?? "?", ...(stream === undefined ? [] : [stream])].join(" ");
}

export function withFaults(store: ObjectStore, faults: readonly StoreFault[]): FaultStore {
  let standing = [...faults];
  const met = new Map<StoreFault, number>();
  const fired: StoreFault[] = [];
  const blinded = new Set<string>();

  async function step<T>(on: StoreFault["on"], key: string, work: () => Promise<T>): Promise<T> {
    const fault = dueAt(on, key);
    if (fault === undefined) return work();
    if (fault.when === "before") throw strike(fault, key);
    await work();
    throw strike(fault, key);
  }

  function growing(key: string, object: GrowingObject): GrowingObject {
    return {
      append(parts) {
        const name = appendedName(key, parts);
        const fault = dueAt("append", name);
        if (fault === undefined) return object.append(parts);
        if (fault.when === "after") object.append(parts);
        throw strike(fault, name);
      },
      close: () => object.close(),
    };
  }

  function dueAt(on: StoreFault["on"], key: string): StoreFault | undefined {
    return standing.find((one) => one.on === on && new RegExp(one.key).test(key) && isDue(one));
  }

  function isDue(fault: StoreFault): boolean {
    const count = (met.get(fault) ?? 0) + 1;
    met.set(fault, count);
    const { nth = 1 } = fault;
    return nth === 0 || nth === count;
  }

  function strike(fault: StoreFault, key: string): Error {
    fired.push(fault);
    if (fault.effect === "kill") process.kill(process.pid, "SIGKILL");
    if (fault.blind === true) blinded.add(key);
    return fault.effect === "full"
      ? new StoreFullError(`No space left to write ${key} (ENOSPC). Nothing was published; make room.`)
      : new Error(`the answer of ${fault.on} ${key} was lost`);
  }

  return {
    ...store,
    fired,
    mend: () => {
      standing = [];
    },
    get: (key) => {
      if (blinded.delete(key)) return Promise.reject(new Error(`the answer of get ${key} was lost`));
      return store.get(key);
    },
    grow: async (key) => growing(key, await store.grow(key)),
    put: (key, body, options) => step("put", key, () => store.put(key, body, options)),
    putFile: (key, path) => step("put", key, () => store.putFile(key, path)),
    putIfAbsent: (key, body) => step("putIfAbsent", key, () => store.putIfAbsent(key, body)),
    uploadAll: (files) =>
      files.reduceRight<() => Promise<void>>(
        (rest, { key }) =>
          () =>
            step("upload", key, rest),
        () => store.uploadAll(files),
      )(),
    delete: (key) => step("delete", key, () => store.delete(key)),
    deletePrefix: (prefix, options) =>
      step("deletePrefix", prefix, () => store.deletePrefix(prefix, options)),
  };
}

/** Every step of a run's writes, in about their order. */
export const WRITE_STEPS: readonly (readonly [StoreFault["on"], string])[] = [
  ["append", "/journals/.* page bank_links$"],
  ["append", "/journals/.* page accounts$"],
  ["append", "/journals/.* clean$"],
  ["append", "/journals/.* bad$"],
  ["append", "/journals/.* page transactions$"],
  ["append", "/journals/.* link$"],
  ["append", "/journals/.* report$"],
  ["upload", "^accounts/.*parquet$"],
  ["putIfAbsent", "^accounts/_delta_log/"],
  ["putIfAbsent", "^bank_links/_delta_log/"],
  ["upload", "^transaction_changes/.*parquet$"],
  ["put", "_staging/.*/load-"],
  ["putIfAbsent", "^quarantine/_delta_log/"],
  ["putIfAbsent", "^transaction_changes/_delta_log/"],
  ["upload", "^link_syncs/.*parquet$"],
  ["putIfAbsent", "^link_syncs/_delta_log/"],
  ["deletePrefix", "^_staging/[^/]*/journals/"],
  ["upload", "^transactions/.*parquet$"],
  ["putIfAbsent", "^transactions/_delta_log/"],
  ["upload", "^accounts_current/.*parquet$"],
  ["putIfAbsent", "^accounts_current/_delta_log/"],
  ["upload", "^runs/.*parquet$"],
  ["putIfAbsent", "^runs/_delta_log/"],
  ["deletePrefix", "^_staging/[^/]*/$"],
];
