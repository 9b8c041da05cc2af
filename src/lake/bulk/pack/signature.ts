import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { InputError } from "../../../domain/failures.js";
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

/** @throws InputError where it is no Ed25519 private key, saying how to make one */
export function signingKey(pem: string, source: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // OpenSSL's words may quote the text.
  }
  throw new InputError(
    `${source}: is not an Ed25519 private key in PEM without a passphrase. Make one: openssl genpkey -algorithm ed25519 -out new-signing-key.pem`,
  );
}

/** @throws InputError where it is no Ed25519 public key */
export function publicKey(pem: string, source: string): KeyObject {
  try {
    const key = createPublicKey(pem);
    // Checking needs no private key, and nobody should hand it out.
    if (!pem.includes("PRIVATE KEY") && key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // See below.
  }
  throw new InputError(`${source}: is not an Ed25519 public key in PEM.`);
}

export function publicPem(key: KeyObject): string {
  return publicOf(key).export({ type: "spki", format: "pem" }) as string;
}

/** As `openssl pkey -pubin -in signing-key.pem -outform DER | sha256sum`. */
export function keyFingerprint(key: KeyObject): string {
  return textSha256(publicOf(key).export({ type: "spki", format: "der" }));
}

/** The 64 bytes that `openssl pkeyutl -verify -rawin` checks. */
export function signed(bytes: Uint8Array, key: KeyObject): Buffer {
  return sign(null, bytes, key);
}

export function isSignedBy(bytes: Uint8Array, signature: Uint8Array, key: KeyObject): boolean {
  return verify(null, bytes, key, signature);
}

function publicOf(key: KeyObject): KeyObject {
  return key.type === "public" ? key : createPublicKey(key);
}

type PackStatement = Pick<
  PackManifest,
  "kind" | "export_id" | "facts" | "counts" | "population" | "previous" | "amends"
>;

/** Writes a pack's manifest, its signature, and `SHA256SUMS` over everything. */
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
