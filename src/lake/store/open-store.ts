import { join } from "node:path";
import { isS3Address, type LakePlace } from "../../domain/lake-address.js";
import { createLocalStore } from "./local/local-store.js";
import type { ObjectStore } from "./object-store.js";
import { createS3Store } from "./s3/s3-store.js";

/** Writes nothing before its first use. */
export function openStore({ address, scratch }: LakePlace): ObjectStore {
  if (!isS3Address(address)) return createLocalStore(address);
  return createS3Store(address, {
    directory: join(scratch.directory, "objects"),
    mostBytes: scratch.mostBytes,
  });
}
