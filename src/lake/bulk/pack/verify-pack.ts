import type { KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { InputError } from "../../../domain/failures.js";
import type { DuckDb } from "../../sql/duckdb.js";
import { PackError, type PackManifest, PROOF, type ReadManifest, readManifest } from "./manifest.js";
import { isSignedBy, keyFingerprint, publicKey } from "./signature.js";
import { agreesWithSums, readSums, verifyFiles, verifyRows } from "./verify-files.js";

export interface VerifiedPack extends Pick<PackManifest, "kind" | "export_id" | "content_sha256" | "counts"> {
  readonly manifest_sha256: string;
  readonly files: number;
  /** The packs before it that are in the same directory, the nearest first. */
  readonly chain: readonly string[];
  /** The pack that is missing where the chain could not be followed further; null at its beginning. */
  readonly chain_ends_before: string | null;
  /** `given`: signed by the given key; `own`: by the key in the pack, whose fingerprint the user has to compare. */
  readonly signature: "none" | "own" | "given";
  readonly public_key_sha256: string | null;
}

/**
 * Proves a pack without network and lake: its files, counts, equation, signature, and the chain in the same directory.
 * @param bring brings the manifest of an earlier pack into the same directory, where it can
 * @throws PackError naming the first thing that is wrong; InputError where the directory is no pack.
 */
export async function verifyPack(
  given: string,
  {
    duckdb,
    key,
    bring,
  }: {
    readonly duckdb: DuckDb;
    readonly key?: KeyObject | undefined;
    readonly bring?: ((id: string) => Promise<unknown>) | undefined;
  },
): Promise<VerifiedPack> {
  const directory = resolve(given);
  const read = await readProvenManifest(directory);
  const { manifest, sha256: manifest_sha256 } = read;
  const { kind, export_id, content_sha256, counts, files } = manifest;
  await verifyFiles(directory, manifest, manifest_sha256);
  await verifyRows(directory, manifest, duckdb);
  const signature = await verifySignature(directory, read, key);
  const chain = await verifyChain(directory, manifest, bring);
  const public_key_sha256 = manifest.signature?.public_key_sha256 ?? null;
  const proved = { kind, export_id, manifest_sha256, content_sha256, files: files.length, counts };
  return { ...proved, ...chain, signature, public_key_sha256 };
}

export async function readProvenManifest(directory: string): Promise<ReadManifest> {
  const sums = await readSums(directory).catch(async (error) => {
    // A directory without a manifest is no pack at all.
    await readManifest(directory);
    throw error;
  });
  try {
    return await readManifest(directory, (sha256) => agreesWithSums(sums.byPath, PROOF.manifest, sha256));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new PackError(`${PROOF.manifest} is missing, though ${PROOF.sums} names it`);
  }
}

async function verifyChain(
  directory: string,
  manifest: PackManifest,
  bring: (id: string) => Promise<unknown> = async () => undefined,
): Promise<Pick<VerifiedPack, "chain" | "chain_ends_before">> {
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

async function verifySignature(
  directory: string,
  { manifest, bytes }: ReadManifest,
  given: KeyObject | undefined,
): Promise<VerifiedPack["signature"]> {
  const signature = await readFile(join(directory, PROOF.signature)).catch(() => undefined);
  const said = manifest.signature;
  if (said === null) {
    if (signature !== undefined)
      throw new PackError(`${PROOF.signature} is there, and ${PROOF.manifest} says that it was not signed`);
    if (given !== undefined) throw new PackError("the pack is not signed, and a public key was given");
    return "none";
  }
  if (signature === undefined) throw new PackError(`${PROOF.signature} is missing`);
  const pem = await readFile(join(directory, PROOF.publicKey), "utf8").catch(() => "");
  const keys: [string, KeyObject][] = [[PROOF.publicKey, publicKey(pem, PROOF.publicKey)]];
  if (given !== undefined) keys.push(["the public key that was given", given]);
  for (const [whose, key] of keys) {
    if (keyFingerprint(key) !== said.public_key_sha256) {
      throw new PackError(
        `${whose} is not the key that ${PROOF.manifest} names: signature.public_key_sha256`,
      );
    }
    if (!isSignedBy(bytes, signature, key)) {
      throw new PackError(
        `${PROOF.manifest} is not what ${whose} signed: ${PROOF.signature} does not match it`,
      );
    }
  }
  return given === undefined ? "own" : "given";
}
