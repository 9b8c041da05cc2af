import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { InputError } from "../../../../src/domain/failures.js";
import {
  isSignedBy,
  keyFingerprint,
  publicKey,
  publicPem,
  signed,
  signingKey,
} from "../../../../src/lake/bulk/pack/signature.js";

const pair = generateKeyPairSync("ed25519");
const pem = pair.privateKey.export({ type: "pkcs8", format: "pem" }) as string;
const text = Buffer.from("manifest");

test("what a key signed, its public half confirms, and no other", () => {
  const key = signingKey(pem, "key.pem");
  const signature = signed(text, key);
  expect(signature).toHaveLength(64);
  const known = publicKey(publicPem(key), "key.pub");
  expect(isSignedBy(text, signature, known)).toBe(true);
  expect(isSignedBy(Buffer.from("manifesto"), signature, known)).toBe(false);
  expect(isSignedBy(text, signature, generateKeyPairSync("ed25519").publicKey)).toBe(false);
  expect(keyFingerprint(key)).toBe(keyFingerprint(known));
});

test("another kind of key, or none, is refused without quoting it", () => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const rsaPem = rsa.privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  for (const wrong of [rsaPem, "not a key", ""]) {
    expect(() => signingKey(wrong, "key.pem")).toThrow(InputError);
    expect(() => signingKey(wrong, "key.pem")).toThrow(/^key\.pem: is not an Ed25519 private key/);
    expect(() => publicKey(wrong, "key.pub")).toThrow(InputError);
  }
});
