import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { compiledProgram } from "../command/compiled-program.js";
import { startS3Server } from "../store/s3-server.js";
import { takeNotes } from "./unsynced-notes.js";
import { forgetUnsynced } from "./unsynced-store.js";

/**
 * What becomes of a killed process's writes: the machine stays on, or loses what was not synced, or is lost itself, with
 * everything that was not in the bucket.
 */
export const STORE_KINDS = ["kept", "forgetful", "bucket"] as const;
export type StoreKind = (typeof STORE_KINDS)[number];

export interface KilledStore {
  /** Whether a kill costs everything that a slice has read, not only a page. */
  readonly forgets: boolean;
  /** The lake's directory; undefined for the folder's own. */
  readonly lake?: string;
  /** What their environment has besides. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Takes back what processes that were killed had not synced. Returns how many changes these were.
   *
   * @param all whether no process of the folder lives on
   */
  forget(lake: string, pids: readonly number[], all: boolean): Promise<number>;
  release(): Promise<void>;
}

export async function openKilledStore(kind: StoreKind): Promise<KilledStore> {
  if (kind === "kept") return { forgets: false, env: {}, forget: async () => 0, release: async () => {} };
  if (kind === "bucket") return openBucket();
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

/** A bucket of an S3 server, and scratch space that a killed process loses with its machine. */
async function openBucket(): Promise<KilledStore> {
  const server = await startS3Server();
  const { address, directory } = await server.makeBucket();
  const scratch = await mkdtemp(join(tmpdir(), "nightledger-scratch-"));
  return {
    forgets: true,
    lake: directory,
    env: { ...server.env, NIGHTLEDGER_LAKE: address, NIGHTLEDGER_SCRATCH: scratch },
    async forget(_, __, all) {
      if (all) await rm(join(scratch, "objects"), { recursive: true, force: true });
      return 0;
    },
    async release() {
      await server.stop();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}
