import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { assertSecrets, readSecrets } from "../../../src/intake/bulk/secrets.js";

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

test("a repetition needs each secret again that was not kept", () => {
  assertSecrets("run-1", {});
  assertSecrets("run-1", { hmacKey: "k" });
  expect(() => assertSecrets("run-1", { hmacKey: null })).toThrow(
    /run-1 hashed values.*Give --hmac-key again/,
  );
  expect(() => assertSecrets("run-1", { signKey: null })).toThrow(
    /run-1 signed its pack.*Give --sign-key again/,
  );
});
