import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSecrets, secretsAgain } from "../../../src/intake/bulk/secrets.js";

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
    /--hmac-key .*none can't be read \(ENOENT\)/,
  );
  await writeFile(join(directory, "key"), "no key");
  await expect(readSecrets({ signKey: "key" }, directory)).rejects.toThrow(/Ed25519/);
});

test("a repetition is given each secret again that was not kept", () => {
  const again = (kept: Record<string, string | null>, given = {}, options = {}) =>
    secretsAgain("run-1", { secrets: kept, options }, given);
  expect(again({})).toEqual({});
  expect(again({ hmacKey: "k" })).toEqual({ hmacKey: "k" });
  expect(again({ hmacKey: null, signKey: "s" }, { hmacKey: "k" })).toEqual({ hmacKey: "k", signKey: "s" });
  expect(() => again({ hmacKey: null })).toThrow(/run-1 hashed values.*Give --hmac-key again/);
  expect(() => again({ signKey: null })).toThrow(/run-1 signed its pack.*Give --sign-key again/);
  expect(() => again({}, { hmacKey: "k" })).toThrow(/run-1 was not given hmacKey before.*Leave it out/);
});

test("a repetition is given the same headers and certificates again", () => {
  const headers = (names: readonly string[], parts: string) =>
    secretsAgain(
      "run-1",
      { secrets: { headers: null }, options: { headers: parts } },
      { headers: JSON.stringify({ forward: Object.fromEntries(names.map((name) => [name, "v"])) }) },
    );
  expect(headers(["a", "b"], "forward a, forward b")).toEqual({
    headers: '{"forward":{"a":"v","b":"v"}}',
  });
  expect(() => headers(["a"], "forward a, forward b")).toThrow(
    /run-1 was given other headers or certificates \(forward a, forward b\)\. Nothing was started/,
  );
});
