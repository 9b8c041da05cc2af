import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InputError } from "../../../domain/failures.js";
import { PackError, type PackManifest, PROOF, type ReadManifest, readManifest } from "./manifest.js";

export interface PackChain {
  /** The packs before it that are in the same directory, the nearest first. */
  readonly chain: readonly string[];
  /** The pack that is missing where the chain could not be followed further; null at its beginning. */
  readonly chain_ends_before: string | null;
}

/**
 * Follows the packs before one, in the same directory, as far as they are there: each must be the one that the next names.
 * @throws PackError where one is another
 */
export async function verifyChain(
  directory: string,
  manifest: PackManifest,
  bring: (id: string) => Promise<unknown> = async () => undefined,
): Promise<PackChain> {
  const chain: string[] = [];
  let here = manifest;
  while (here.previous !== null) {
    const { export_id: id, manifest_sha256: expected } = here.previous;
    if (id === manifest.export_id || chain.includes(id)) {
      throw new PackError(`the chain of packs comes back to ${id}: a manifest was changed`);
    }
    let previous: ReadManifest;
    try {
      await bring(id);
      previous = await readManifest(join(dirname(directory), id), (sha256) => {
        if (sha256 === expected) return;
        throw new PackError(
          `the chain is broken at ${id}: its ${PROOF.manifest} is not the one that ${here.export_id} names`,
        );
      });
    } catch (error) {
      if (error instanceof InputError) return { chain, chain_ends_before: id };
      throw error;
    }
    chain.push(id);
    here = previous.manifest;
  }
  return { chain, chain_ends_before: null };
}

/** Compares a manifest with what packs beside it, which were made after it, say of it. @throws PackError where one says otherwise */
export async function verifyLater(directory: string, { manifest, sha256 }: ReadManifest): Promise<void> {
  const { kind, export_id } = manifest;
  const beside = dirname(directory);
  for (const name of await readdir(beside)) {
    if (!name.startsWith(`${kind}-`) || name === export_id) continue;
    const later = await readManifest(join(beside, name)).catch(() => undefined);
    const said = later?.manifest.previous;
    if (said?.export_id === export_id && said.manifest_sha256 !== sha256)
      throw new PackError(
        `${name} beside it names another ${PROOF.manifest} of ${export_id}: one of the two packs was changed`,
      );
  }
}
