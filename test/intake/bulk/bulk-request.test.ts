import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { BulkOptions } from "../../../src/domain/bulk/bulk-job.js";
import { openJob } from "../../../src/intake/bulk/bulk-request.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";

const temp = eachTest(tempDirectory);

const VAULT = { fields: ["id.email"], reason: "r", transforms: ["hmac_sha256"] };
const CIP = { approver: "a" };

/** What a job's secret is when an option names this file of the test's directory. */
async function secretsOf(job: string, options: BulkOptions, inputs: Record<string, string>) {
  const paths = Object.entries(inputs).map(([name, file]) => [name, join(temp.path, file)]);
  const asked = { kind: job, file: "", continueInvalid: false, options, inputs: Object.fromEntries(paths) };
  return (await openJob(asked)).secrets;
}

const keyOf = async (text: string) => {
  await writeFile(join(temp.path, "key"), text);
  return secretsOf("vault", VAULT, { hmac_key: "key" });
};

test("a key is what its file holds, without the line feed at its end", async () => {
  expect(await keyOf("k'e\\y ü\n")).toEqual({ hmacKey: "k'e\\y ü" });
  expect(await keyOf("key\r\n")).toEqual({ hmacKey: "key" });
  expect(await keyOf(" key ")).toEqual({ hmacKey: " key " });
  expect(await secretsOf("cip", CIP, {})).toEqual({});
});

test.each([
  ["\n", /--hmac-key .*key is empty\. Nothing was started/],
  ["a\nb\n", /more than one line/],
])("%j is no key", async (text, message) => {
  await expect(keyOf(text)).rejects.toThrow(message);
});

test("a keyed hash and its key go together", async () => {
  await writeFile(join(temp.path, "key"), "k");
  await expect(secretsOf("vault", VAULT, {})).rejects.toThrow(/has hmac_sha256, which needs --hmac-key/);
  const plain = { ...VAULT, transforms: null };
  await expect(secretsOf("vault", plain, { hmac_key: "key" })).rejects.toThrow(/--hmac-key is given, and/);
});

test("a file that is not there, or that holds another kind of key, is refused by its flag", async () => {
  await expect(secretsOf("vault", VAULT, { hmac_key: "none" })).rejects.toThrow(
    /--hmac-key .*none is not there\. Nothing was started\. Check the path given to --hmac-key/,
  );
  await writeFile(join(temp.path, "key"), "no key");
  await expect(secretsOf("cip", CIP, { sign_key: "key" })).rejects.toThrow(/Ed25519/);
});

test("a signing key is the same secret however its file is written", async () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = String(privateKey.export({ type: "pkcs8", format: "pem" }));
  await writeFile(join(temp.path, "key"), `\n${pem.replaceAll("\n", "\r\n")}`);
  expect(await secretsOf("cip", CIP, { sign_key: "key" })).toEqual({ signKey: pem });
});
