import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { InputError } from "../../../src/domain/failures.js";
import {
  ensureEmbeddedKeys,
  parseEncryptionKeys,
  readEmbeddedKeys,
} from "../../../src/temporal/encryption/keys.js";

const SECRET_A = Buffer.alloc(32, 0xfa).toString("base64");
const SECRET_B = Buffer.alloc(32, 0xfb).toString("base64");

describe("NIGHTLEDGER_ENCRYPTION_KEYS", () => {
  test("the first key encrypts and all of them decrypt", () => {
    const keys = parseEncryptionKeys(`new:${SECRET_A}, old:${SECRET_B}`);
    expect(keys.current.id).toBe("new");
    expect([...keys.byId.keys()]).toEqual(["new", "old"]);
    expect(keys.current.secret.export().toString("base64")).toBe(SECRET_A);
  });

  test.each([
    ["an empty value", "", "is empty"],
    ["a comma at the end", `a:${SECRET_A},`, "key 2: is empty"],
    ["no colon", SECRET_A, "key 1: has no colon"],
    ["a bad id in the second place", `a:${SECRET_A},b b:${SECRET_B}`, "key 2: its id is not"],
    ["id and key swapped", `${SECRET_A}:a`, "key 1: its id is not"],
    ["16 bytes", `a:${Buffer.alloc(16, 0xfa).toString("base64")}`, 'key 1: id "a" has 24 characters'],
    ["base64 of the URL kind", `a:${SECRET_A.replaceAll("+", "-")}`, 'key 1: id "a" has 44 characters'],
    ["one id twice", `a:${SECRET_A},a:${SECRET_B}`, 'key 2: id "a" appears twice'],
  ])("%s is refused, naming the variable and the place but never the key", (_, value, expected) => {
    let message = "";
    try {
      parseEncryptionKeys(value);
    } catch (error) {
      expect(error).toBeInstanceOf(InputError);
      ({ message } = error as Error);
    }
    expect(message).toMatch(/^NIGHTLEDGER_ENCRYPTION_KEYS: /);
    expect(message).toContain(expected);
    expect(message).not.toMatch(/[A-Za-z0-9+/_-]{20,}=/);
    expect(message).not.toContain(SECRET_A.slice(0, 8));
  });

  test("keys do not show their bytes when they are printed", () => {
    const printed = inspect(parseEncryptionKeys(`a:${SECRET_A}`), { depth: 9, showHidden: true });
    expect(printed).not.toContain(SECRET_A.slice(0, 8));
    expect(printed).not.toContain("fa fa");
  });
});

describe("the embedded mode's own keys", () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "nightledger-keys-"));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  test("are made once, readable by their owner only, and nothing else stays", async () => {
    expect(await readEmbeddedKeys(home)).toBeUndefined();
    expect(await readdir(home)).toEqual([]);
    const made = await ensureEmbeddedKeys(home);
    const again = await ensureEmbeddedKeys(home);
    expect(again.current.secret.equals(made.current.secret)).toBe(true);
    expect((await stat(join(home, "keys"))).mode & 0o777).toBe(0o600);
    expect(await readdir(home)).toEqual(["keys"]);
  });

  test("are the same for all that make them at once", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => ensureEmbeddedKeys(home)));
    expect(new Set(all.map((keys) => keys.current.secret.export().toString("hex"))).size).toBe(1);
  });

  test("a damaged file is an input error that names the file", async () => {
    await writeFile(join(home, "keys"), "nonsense");
    await expect(readEmbeddedKeys(home)).rejects.toThrow(join(home, "keys"));
  });
});
