import type { KeyObject } from "node:crypto";
import { writeFile } from "node:fs/promises";
import {
  contentSha256,
  EQUATION,
  manifestSchema,
  manifestText,
  type PackManifest,
  PROOF,
  sumLines,
  textSha256,
} from "./manifest.js";
import type { PackFiles } from "./pack-files.js";
import { keyFingerprint, publicPem, signed } from "./signature.js";

type PackStatement = Pick<
  PackManifest,
  "kind" | "export_id" | "facts" | "counts" | "population" | "previous" | "amends"
>;

/**
 * Finishes a pack: writes its manifest over every file, the manifest's signature where there is a key, and
 * `SHA256SUMS` over all of it. Nothing is added to a pack afterwards.
 *
 * @returns the manifest, with the sha256 by which the next pack names it.
 */
export async function sealPack(
  pack: PackFiles,
  statement: PackStatement,
  key?: KeyObject,
): Promise<{ manifest: PackManifest; manifestSha256: string }> {
  if (key !== undefined) {
    await pack.write(PROOF.publicKey, async (out) => {
      await out(publicPem(key));
      return undefined;
    });
  }
  const { files } = pack;
  const manifest = manifestSchema.parse({
    ...statement,
    format: "nightledger-pack/1",
    equation: EQUATION,
    content_sha256: contentSha256(files),
    signature: key === undefined ? null : { algorithm: "Ed25519", public_key_sha256: keyFingerprint(key) },
    files,
  });
  const text = Buffer.from(manifestText(manifest));
  const proofs = new Map<string, Buffer>([[PROOF.manifest, text]]);
  if (key !== undefined) proofs.set(PROOF.signature, signed(text, key));
  const hashes = [...proofs].map(([path, body]) => ({ path, sha256: textSha256(body) }));
  proofs.set(PROOF.sums, Buffer.from(sumLines([...files, ...hashes])));
  for (const [path, body] of proofs)
    await writeFile(await pack.place(path), body, { flag: "wx", mode: 0o640 });
  return { manifest, manifestSha256: textSha256(text) };
}
