import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InputError } from "../../../domain/failures.js";
import { PackError, type PackManifest, PROOF, type ReadManifest, readManifest } from "./manifest.js";

export interface PackChain {
  /** Earlier packs in the directory, the nearest first. */
  readonly chain: readonly string[];
  /** The missing pack at the chain's end; null at its beginning. */
  readonly chain_ends_before: string | null;
}

/**
 * Follows earlier packs in the same directory, each named by the next one.
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

/** Compares a manifest with what later packs beside it say. @throws PackError where one differs */
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
