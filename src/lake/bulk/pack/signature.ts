import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { InputError } from "../../../domain/failures.js";
import { textSha256 } from "./manifest.js";

/** A signing key from PEM text. @throws InputError where it is not an Ed25519 private key, saying how to make one. */
export function signingKey(pem: string, source: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // Said below, without the words of OpenSSL, which may quote the text.
  }
  throw new InputError(
    `${source}: is not an Ed25519 private key in PEM without a passphrase. Make one: openssl genpkey -algorithm ed25519 -out new-signing-key.pem`,
  );
}

/** A public key from PEM text. @throws InputError where it is not an Ed25519 key. */
export function publicKey(pem: string, source: string): KeyObject {
  try {
    const key = createPublicKey(pem);
    // Checking a pack needs no private key, and nobody should have to hand it out.
    if (!pem.includes("PRIVATE KEY") && key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // Said below.
  }
  throw new InputError(`${source}: is not an Ed25519 public key in PEM.`);
}

export function publicPem(key: KeyObject): string {
  return publicOf(key).export({ type: "spki", format: "pem" }) as string;
}

/** sha256 of a public key's DER form: `openssl pkey -pubin -in signing-key.pem -outform DER | sha256sum`. */
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
