import { expect, test } from "vitest";
import { parseEncryptionKeys } from "../../src/temporal/encryption/keys.js";
import {
  hasOtherKey,
  parseWorkerIdentity,
  workerIdentity,
  workerWords,
} from "../../src/temporal/worker-identity.js";

const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString("base64")}`;
const KEYS = parseEncryptionKeys(`${key("new", 1)},${key("old", 2)}`);
const named = (keys = KEYS, apiKey = "sk_test_1") => {
  const worker = parseWorkerIdentity(workerIdentity(keys, apiKey));
  if (worker === undefined) throw new Error("a worker's own name can't be read");
  return worker;
};

test("a worker names its process, when it started and which key it has, but not the key", () => {
  const worker = named();
  expect(worker.process).toMatch(new RegExp(`^${process.pid}@`));
  expect(Math.abs(Date.now() - process.uptime() * 1_000 - Date.parse(worker.startedAt))).toBeLessThan(60_000);
  expect(workerIdentity(KEYS, "sk_test_1")).not.toContain("sk_test");
  expect(workerWords({ ...worker, process: "7@host", startedAt: "2026-11-22T02:11:03.000Z" })).toBe(
    "the worker 7@host (started 2026-11-22 02:11 UTC)",
  );
});

test("a key of the service is told from another one, also while encryption keys are rotated", () => {
  const old = parseEncryptionKeys(`${key("old", 2)},${key("new", 1)}`);
  for (const keys of [KEYS, old]) {
    expect(hasOtherKey(named(keys), KEYS, "sk_test_1")).toBe(false);
    expect(hasOtherKey(named(keys), KEYS, "sk_test_2")).toBe(true);
  }
});

test("a fingerprint is worth nothing without the encryption key, and says nothing under one that is not known", () => {
  const foreign = named(parseEncryptionKeys(key("new", 9)));
  expect(foreign.fingerprint).not.toBe(named().fingerprint);
  expect(hasOtherKey(named(parseEncryptionKeys(key("unknown", 9))), KEYS, "sk_test_2")).toBe(false);
});

test.each([
  "1234@host",
  "",
  "1234@host since yesterday key new:0123",
  "x since 2026-11-22T02:11:03Z key a:b",
])("%j is not a worker of this version", (text) => {
  expect(parseWorkerIdentity(text)).toBeUndefined();
});
