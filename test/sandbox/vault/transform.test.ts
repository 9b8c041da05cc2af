import { createHmac, generateKeyPairSync, privateDecrypt } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { eachFile } from "../../helpers/each-test.js";
import { call } from "../../helpers/stand-in/caller.js";

const sandbox = eachFile(() => startSandbox({ vaults: "empty" }));
let token: string;
const fields = ["custom.a", "custom.b"];
beforeAll(async () => {
  sandbox.addUser({ fp_id: "u" });
  token = sandbox.tokens.create("u", { scope: "decrypt", fields, decrypt_reason: "r" }).token;
});

async function transformed(value: string | number | boolean | object, ...transforms: string[]) {
  sandbox.vaults.write("u", { "custom.a": value as string });
  const body = { fields: ["custom.a"], transforms };
  return (await call(sandbox, "POST", "/users/vault/decrypt", { token, body })).body["custom.a"];
}

test.each([
  ["to_lowercase", "ŽIŽKOV", "žižkov"],
  ["to_uppercase", "straße", "STRASSE"],
  ["to_ascii", "Žižkov Łódź 日", "Zizkov odz "],
  ["prefix(3)", "😀bcd", "😀bc"],
  ["prefix(0)", "abc", ""],
  ["suffix(4)", "123456789", "6789"],
  ["suffix(0)", "abc", ""],
  ["suffix(99)", "abc", "abc"],
  ["replace('-','')", "12-34-56", "123456"],
  ["replace('a','$&')", "banana", "b$&n$&n$&"],
  ["replace('\\'','\\\\')", "O'Brien", "O\\Brien"],
  ["date_format('%Y-%m-%d','%m/%d/%Y')", "1990-02-03", "02/03/1990"],
  ["date_format('%m/%d/%y','%Y%m%d')", "02/03/90", "19900203"],
  ["date_format('%Y-%m-%d','%e %B %Y')", "1990-02-03", " 3 February 1990"],
  ["date_format('%d %b %Y','%%%d')", "03 Feb 1990", "%03"],
  ["hmac_sha256('key')", "value", createHmac("sha256", "key").update("value").digest("hex")],
  ["wrap_quotes", 'a"b', '"a"b"'],
])("%s turns %s into %s", async (transform, value, expected) => {
  expect(await transformed(value, transform)).toBe(expected);
});

test("transforms are applied in their order, to every datum, numbers written as text first", async () => {
  expect(await transformed("Ada Lovelace", "prefix(3)", "to_uppercase", "wrap_quotes")).toBe('"ADA"');
  expect(await transformed(42, "prefix(1)")).toBe("4");
  expect(await transformed({ a: 1 }, "to_uppercase")).toBe('{"A":1}');
  expect(await transformed(42)).toBe(42);
  sandbox.vaults.write("u", { "custom.a": "A", "custom.b": "B" });
  const body = { fields, transforms: ["to_lowercase"] };
  const { body: values } = await call(sandbox, "POST", "/users/vault/decrypt", { token, body });
  expect(values).toEqual({ "custom.a": "a", "custom.b": "b" });
});

test.each([
  "lowercase",
  "prefix",
  "prefix('3')",
  "prefix(1.5)",
  "replace('','b')",
  'replace("a","b")',
  "replace('a','b','c')",
  "replace('it's','b')",
  "replace('a\\n','b')",
  "date_format('%Q','%Y')",
  "date_format('%Y-%m','%d')",
  "date_format('%d/%m/%Y','%Y')",
  "hmac_sha256('')",
  "encrypt('rsa_oaep_sha256','not a key')",
  "wrap_quotes ",
])("%s is refused for the value 2026-13-40", async (transform) => {
  sandbox.vaults.write("u", { "custom.a": "2026-13-40" });
  const body = { fields: ["custom.a"], transforms: [transform] };
  expect((await call(sandbox, "POST", "/users/vault/decrypt", { token, body })).status).toBe(400);
});

test("encrypt: what it gives is opened by the private key", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = publicKey.export({ format: "der", type: "spki" }).toString("base64");
  const text = await transformed("123456789", `encrypt('rsa_oaep_sha256','${key}')`);
  const opened = privateDecrypt({ key: privateKey, oaepHash: "sha256" }, Buffer.from(text, "base64"));
  expect(opened.toString()).toBe("123456789");
});

test("the log holds the names of transforms, never their arguments", async () => {
  await transformed("a", "hmac_sha256('planted key')", "to_uppercase");
  const log = sandbox.vaults.decryptions();
  expect(log.at(-1)?.transforms).toEqual(["hmac_sha256", "to_uppercase"]);
  expect(JSON.stringify(log)).not.toContain("planted key");
});
