import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { compiledProgram } from "../command/compiled-program.js";
import { takeNotes } from "./unsynced-notes.js";
import { forgetUnsynced } from "./unsynced-store.js";

/** What becomes of a killed process's writes: the machine stays on, or loses what was not synced. */
export type StoreKind = "kept" | "forgetful";

/** The store of processes that are killed. */
export interface KilledStore {
  readonly forgets: boolean;
  /** What their environment has besides. */
  readonly env: Readonly<Record<string, string>>;
  /** Takes back what processes that were killed had not synced. Returns how many changes these were. */
  forget(lake: string, pids: readonly number[]): Promise<number>;
  release(): Promise<void>;
}

/** Makes the store that commands of a trial get. */
export async function openKilledStore(kind: StoreKind): Promise<KilledStore> {
  if (kind === "kept") return { forgets: false, env: {}, forget: async () => 0, release: async () => {} };
  const preload = compiledProgram("test/helpers/kill/forgetful-preload.ts");
  const directory = await mkdtemp(join(tmpdir(), "nightledger-unsynced-"));
  return {
    forgets: true,
    env: { NODE_OPTIONS: `--import=${preload}`, UNSYNCED_NOTES: directory },
    async forget(lake, pids) {
      const notes = await takeNotes(directory, new Set(pids));
      await forgetUnsynced(createLocalStore(lake), notes);
      return notes.length;
    },
    release: () => rm(directory, { recursive: true, force: true }),
  };
}
