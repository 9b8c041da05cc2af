import { type LoadHook, register } from "node:module";
import { isMainThread } from "node:worker_threads";
import type { ObjectStore } from "../../../src/lake/store/object-store.js";
import { notesInDirectory } from "./unsynced-notes.js";
import { notingUnsynced } from "./unsynced-store.js";

// With `node --import` of this file, the program that follows notes every change of its lake that it did not sync,
// in the directory UNSYNCED_NOTES: the test that kills it takes these changes back. Node loads the file a second
// time, in the thread of its module hooks.

const LOCAL_STORE = "/dist/src/lake/store/local/local-store.js";

if (isMainThread) register(import.meta.url);

/** The store that the program is given in place of its own. */
function noting(disk: ObjectStore): ObjectStore {
  return notingUnsynced(disk, notesInDirectory(process.env.UNSYNCED_NOTES ?? ""));
}

/** Node's hook: gives the module of the local store an export that notes. */
const load: LoadHook = async (url, context, next) => {
  if (!url.endsWith(LOCAL_STORE)) return next(url, context);
  const source = `
    import { createLocalStore as onDisk } from "${url}?on-disk";
    import { noting } from "${import.meta.url}";
    export const createLocalStore = (root) => noting(onDisk(root));`;
  return { format: "module", shortCircuit: true, source };
};

// By name: Node calls the one, the source above the other.
export { load, noting };
