import type { KeyObject } from "node:crypto";
import { writeFile } from "node:fs/promises";
import {
  contentSha256,
  EQUATION,
  manifestText,
  PACK_FORMAT,
  type PackManifest,
  PROOF,
  sumLines,
  textSha256,
} from "./manifest.js";
import type { PackFiles } from "./pack-files.js";
import { keyFingerprint, publicPem, signed } from "./signature.js";

/** What a pack says of itself beyond its files. */
type PackStatement = Pick<
  PackManifest,
  "kind" | "export_id" | "facts" | "counts" | "population" | "previous" | "amends"
>;

/**
 * Ends the writing of a pack: its manifest over every file, the manifest's signature where there is a key, and
 * `SHA256SUMS` over all of it. Nothing is added to a pack afterwards.
 *
 * @returns the manifest's sha256, by which the next pack names this one.
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
  const manifest: PackManifest = {
    format: PACK_FORMAT,
    kind: statement.kind,
    export_id: statement.export_id,
    facts: statement.facts,
    counts: statement.counts,
    equation: EQUATION,
    population: statement.population,
    previous: statement.previous,
    amends: statement.amends,
    content_sha256: contentSha256(files),
    signature: key === undefined ? null : { algorithm: "Ed25519", public_key_sha256: keyFingerprint(key) },
    files,
  };
  const text = manifestText(manifest);
  const manifestSha256 = textSha256(text);
  const proofs = [{ path: PROOF.manifest as string, sha256: manifestSha256, body: Buffer.from(text) }];
  if (key !== undefined) {
    const body = Buffer.from(signed(Buffer.from(text), key));
    proofs.push({ path: PROOF.signature, sha256: textSha256(body), body });
  }
  for (const { path, body } of proofs)
    await writeFile(await pack.place(path), body, { flag: "wx", mode: 0o640 });
  const sums = sumLines([...files, ...proofs]);
  await writeFile(await pack.place(PROOF.sums), sums, { flag: "wx", mode: 0o640 });
  return { manifest, manifestSha256 };
}
