import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent } from "../../store/local/local-store-errors.js";
import { isThere, publishPack } from "./publish.js";

/** Where packs are, each under its id. `scratch` is a directory of the caller's, which removes it. */
export interface PackPlace {
  /** Of a pack: a path, or `s3://…`. */
  addressOf(id: string): string;
  /** Whether there is a whole pack of that id. */
  isThere(id: string): Promise<boolean>;
  /** Names of what is there, whole packs or not. */
  names(): Promise<string[]>;
  /**
   * Gives a directory with the files of a pack that are there: the pack itself, or copies below `scratch`, beside those
   * of other packs. Of the given paths alone, if there are any.
   */
  read(id: string, scratch: string, paths?: readonly string[]): Promise<string>;
  /** Makes a directory in which an attempt writes a pack; the caller removes it. */
  begin(id: string, scratch: string): Promise<string>;
  /** Publishes a sealed pack as a whole. Of several attempts one counts, however they end. */
  publish(id: string, directory: string): Promise<void>;
  /** Finishes what attempts that were killed have begun to publish; whether the pack is there then. */
  resume(id: string, scratch: string): Promise<boolean>;
}

/** Packs in a directory. */
export function directoryPacks(base: string): PackPlace {
  const addressOf = (id: string) => join(base, id);
  /** Not before the pack is there: an attempt that Temporal gave up on must not publish a part of its files. */
  async function removeAttempts(id: string): Promise<void> {
    for (const name of await namesIn(base))
      if (name.startsWith(`.${id}.`)) await rm(join(base, name), { recursive: true, force: true });
  }
  return {
    addressOf,
    isThere: (id) => isThere(addressOf(id)),
    names: () => namesIn(base),
    read: async (id) => addressOf(id),
    async begin(id) {
      const directory = join(base, `.${id}.${randomUUID()}`);
      await mkdir(base, { recursive: true, mode: 0o750 });
      await mkdir(directory, { mode: 0o750 });
      return directory;
    },
    async publish(id, directory) {
      await publishPack(directory, addressOf(id));
      await removeAttempts(id);
    },
    async resume(id) {
      const isDone = await isThere(addressOf(id));
      if (isDone) await removeAttempts(id);
      return isDone;
    },
  };
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw error;
  });
}
