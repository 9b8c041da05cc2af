import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSecrets, secretsAgain } from "../../../src/intake/bulk/secrets.js";
import { secretPrint } from "../../../src/lake/bulk/secret-print.js";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nightledger-secrets-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const read = async (text: string) => {
  await writeFile(join(directory, "key"), text);
  return readSecrets({ hmacKey: "key", signKey: undefined }, directory);
};

test("a key is what its file holds, without the line feed at its end", async () => {
  expect(await read("k'e\\y ü\n")).toEqual({ hmacKey: "k'e\\y ü" });
  expect(await read("key\r\n")).toEqual({ hmacKey: "key" });
  expect(await read(" key ")).toEqual({ hmacKey: " key " });
  expect(await readSecrets({ hmacKey: null, signKey: undefined })).toEqual({});
});

test.each([
  ["\n", /--hmac-key .*key is empty\. Nothing was started/],
  ["a\nb\n", /more than one line/],
])("%j is no key", async (text, message) => {
  await expect(read(text)).rejects.toThrow(message);
});

test("a file that is not there, or that holds another kind of key, is refused by its flag", async () => {
  await expect(readSecrets({ hmacKey: "none" }, directory)).rejects.toThrow(
    /--hmac-key .*none is not there\. Nothing was started\. Check the path given to --hmac-key/,
  );
  await writeFile(join(directory, "key"), "no key");
  await expect(readSecrets({ signKey: "key" }, directory)).rejects.toThrow(/Ed25519/);
});

test("a repetition is given each secret again that was not kept", () => {
  const again = (kept: Record<string, string | null>, given = {}, options = {}) =>
    secretsAgain("run-1", { secrets: kept, sha256: "00", options }, given);
  expect(again({})).toEqual({});
  expect(again({ hmacKey: "k" })).toEqual({ hmacKey: "k" });
  expect(again({ hmacKey: null, signKey: "s" }, { hmacKey: "k" })).toEqual({ hmacKey: "k", signKey: "s" });
  expect(() => again({ hmacKey: null })).toThrow(/run-1 hashed values.*Give --hmac-key again/);
  expect(() => again({ signKey: null })).toThrow(/run-1 signed its pack.*Give --sign-key again/);
  expect(() => again({}, { hmacKey: "k" })).toThrow(/run-1 was not given hmacKey before.*Leave it out/);
});

test("a repetition takes no other key than the run had; an earlier version kept nothing to tell", () => {
  const again = (name: string, secret: string, secretPrints?: Record<string, string>) =>
    secretsAgain(
      "run-1",
      { secrets: { [name]: null }, ...(secretPrints && { secretPrints }), sha256: "ab", options: {} },
      { [name]: secret },
    );
  const prints = { hmacKey: secretPrint("k", "ab"), signKey: secretPrint("s", "ab") };
  expect(again("hmacKey", "k", prints)).toEqual({ hmacKey: "k" });
  expect(() => again("hmacKey", "other", prints)).toThrow(
    /run-1 hashed values with another key\. Nothing was started\. Give --hmac-key the key of that run/,
  );
  expect(again("signKey", "other", prints)).toEqual({ signKey: "other" });
  expect(again("hmacKey", "other")).toEqual({ hmacKey: "other" });
});

test("a signing key is the same secret however its file is written", async () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = String(privateKey.export({ type: "pkcs8", format: "pem" }));
  await writeFile(join(directory, "key"), `\n${pem.replaceAll("\n", "\r\n")}`);
  expect(await readSecrets({ signKey: "key" }, directory)).toEqual({ signKey: pem });
});

test("a repetition is given the same headers and certificates again", () => {
  const headers = (names: readonly string[], parts: string) =>
    secretsAgain(
      "run-1",
      {
        secrets: { headers: null },
        secretPrints: { headers: secretPrint("a token of yesterday", "00") },
        ...{ sha256: "00", options: { headers: parts } },
      },
      { headers: JSON.stringify({ forward: Object.fromEntries(names.map((name) => [name, "v"])) }) },
    );
  expect(headers(["a", "b"], "forward a, forward b")).toEqual({
    headers: '{"forward":{"a":"v","b":"v"}}',
  });
  expect(() => headers(["a"], "forward a, forward b")).toThrow(
    /run-1 was given other headers or certificates \(forward a, forward b\)\. Nothing was started/,
  );
});
