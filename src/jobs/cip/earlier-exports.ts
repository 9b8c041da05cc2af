import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { InputError } from "../../domain/failures.js";
import { isS3Address } from "../../domain/lake-address.js";
import { isRunId } from "../../domain/run.js";
import { bucketPacks } from "../../lake/bulk/pack/bucket-packs.js";
import { POPULATION_FILE, PROOF, type ReadManifest } from "../../lake/bulk/pack/manifest.js";
import { directoryPacks, type PackPlace } from "../../lake/bulk/pack/pack-place.js";
import { readProvenManifest } from "../../lake/bulk/pack/verify-pack.js";
import type { Lake } from "../../lake/lake.js";
import { csvFile } from "../../lake/sql/duckdb-files.js";
import { sqlList } from "../../lake/sql/duckdb-sql.js";
import type { ObjectStore } from "../../lake/store/object-store.js";

/** In the lake, or in a named directory. */
export function exportsIn(lake: ObjectStore, out: string | null): PackPlace {
  if (out !== null) return directoryPacks(out);
  if (isS3Address(lake.address)) return bucketPacks(lake, "_exports/cip/");
  return directoryPacks(join(lake.address, "_exports", "cip"));
}

/**
 * The manifest of the named or newest earlier export; null for none.
 * @throws InputError where the named one is not there, PackError where its manifest was changed
 */
export async function previousPack(
  exports: PackPlace,
  runId: string,
  named: string | null,
  scratch: string,
): Promise<ReadManifest | null> {
  const read = async (place: PackPlace, id: string) =>
    readProvenManifest(await place.read(id, scratch, [PROOF.manifest, PROOF.sums]));
  if (named !== null) {
    const id = basename(named);
    const place = isAbsolute(named) ? directoryPacks(dirname(named)) : exports;
    if (await place.isThere(id)) return read(place, id);
    throw new InputError(
      `there is no export ${place.addressOf(id)}. Nothing was started. Give --since the id of an export, or its directory.`,
    );
  }
  const earlier = (await exports.names()).filter((name) => isRunId("cip", name) && name < runId);
  for (const name of earlier.sort().reverse()) if (await exports.isThere(name)) return read(exports, name);
  return null;
}

/** Whether an export's pack names one of these ids, also as excluded or by a wrong row. */
export async function isInPack(
  { store, duckdb }: Pick<Lake, "store" | "duckdb">,
  { run_id, out }: { readonly run_id: string; readonly out: string | null },
  ids: readonly string[],
): Promise<boolean> {
  const packs = exportsIn(store, out);
  if (!(await packs.isThere(run_id))) return false;
  await duckdb.makeScratch();
  const pack = await packs.read(run_id, duckdb.scratchDirectory, [POPULATION_FILE]);
  const named = await duckdb.exclusive((sql) =>
    sql.rowsAtOnce(`select 1 from ${csvFile(join(pack, POPULATION_FILE))} where external_id in ${sqlList(ids)}
      or regexp_replace(fp_id, '^\\(line \\d+\\) ', '') in ${sqlList(ids)} limit 1`),
  );
  return named.length > 0;
}

/** Sorts after every export. */
const LAST = "cip-~";

/** Reads the earlier export before any call; throws as {@link previousPack}. */
export async function checkPrevious(exports: PackPlace, named: string | null): Promise<void> {
  const scratch = join(tmpdir(), `nightledger-packs-${randomUUID()}`);
  try {
    await previousPack(exports, LAST, named, scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
