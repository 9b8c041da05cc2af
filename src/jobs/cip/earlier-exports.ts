import { readdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { InputError } from "../../domain/failures.js";
import { isS3Address } from "../../domain/lake-address.js";
import { isRunId } from "../../domain/run.js";
import { isThere } from "../../lake/bulk/pack/publish.js";
import { readProvenManifest } from "../../lake/bulk/pack/verify-pack.js";
import { isAbsent } from "../../lake/store/local/local-store-errors.js";
import { requireUnchanged } from "./changes/compared-packs.js";

/** Where exports are made: in the lake, unless another directory was named. @throws InputError for a lake in a bucket */
export function exportsDirectory(lake: string, out: string | null): string {
  if (out !== null) return out;
  if (!isS3Address(lake)) return join(lake, "_exports", "cip");
  throw new InputError(
    `the lake ${lake} is in a bucket, and a pack is a directory. Nothing was exported. Name one on the worker's machine with --out.`,
  );
}

/**
 * Directory of the export before a run: the export that was named, else the newest; null where there is none.
 *
 * @throws InputError where the named one is not there.
 */
export async function previousPack(
  base: string,
  runId: string,
  named: string | null,
): Promise<string | null> {
  if (named !== null) {
    const directory = isAbsolute(named) ? named : join(base, named);
    if (await isThere(directory)) return directory;
    throw new InputError(
      `there is no export ${directory}. Nothing was started. Give --since the id of an export, or its directory.`,
    );
  }
  const names = await readdir(base).catch((error: unknown): string[] => {
    if (isAbsent(error)) return [];
    throw error;
  });
  const newest = names
    .filter((name) => isRunId("cip", name) && name < runId)
    .sort()
    .at(-1);
  return newest === undefined ? null : join(base, newest);
}

/** Comes after the id of any export. */
const LAST = "cip-~";

/**
 * Proves the export that a new one is to be compared with, before the service is asked for anybody.
 *
 * @throws InputError where the named one is not there, PackError where it was changed.
 */
export async function checkPrevious(base: string, named: string | null): Promise<void> {
  const directory = await previousPack(base, LAST, named);
  if (directory === null) return;
  await requireUnchanged(directory, (await readProvenManifest(directory)).manifest);
}
