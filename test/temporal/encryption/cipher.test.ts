import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/domain/failures.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { parseEncryptionKeys } from "../../../src/temporal/encryption/keys.js";

const secret = (fill: number) => Buffer.alloc(32, fill).toString("base64");
const sealer = createSealer(parseEncryptionKeys(`k1:${secret(1)}`));
const rotated = createSealer(parseEncryptionKeys(`k2:${secret(2)},k1:${secret(1)}`));
const bytes = (text: string) => Buffer.from(text, "utf8");

describe("a sealer", () => {
  test("whatever is sealed opens to the same under its context, and under no other", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), fc.string(), fc.string(), (given, context, other) => {
        const sealed = sealer.seal(given, context);
        expect(Buffer.from(sealer.open(sealed, context))).toEqual(Buffer.from(given));
        fc.pre(other !== context);
        expect(() => sealer.open(sealed, other)).toThrow(InputError);
      }),
    );
  });

  test("nothing of what is sealed is readable, and never twice the same", () => {
    const sealed = Buffer.from(sealer.seal(bytes("Jane Doe"), "a"));
    expect(sealed.toString("latin1")).not.toContain("Jane");
    expect(Buffer.from(sealer.seal(bytes("Jane Doe"), "a")).equals(sealed)).toBe(false);
  });

  test("any changed or missing byte is refused", () => {
    const sealed = Buffer.from(sealer.seal(bytes("Jane Doe"), "a"));
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(() => sealer.open(changed, "a"), `byte ${index}`).toThrow(InputError);
      expect(() => sealer.open(sealed.subarray(0, index), "a"), `cut at ${index}`).toThrow(InputError);
    }
  });

  test("a new key seals, an old one behind it still opens", () => {
    const old = sealer.seal(bytes("x"), "a");
    expect(Buffer.from(rotated.open(old, "a"))).toEqual(bytes("x"));
    expect(() => sealer.open(rotated.seal(bytes("x"), "a"), "a")).toThrow(
      /NIGHTLEDGER_ENCRYPTION_KEYS: no key with the id "k2".*Known: k1.*Add the old key/s,
    );
  });

  test("what is not sealed is refused as such", () => {
    expect(() => sealer.open(bytes('{"first_name":"Jane"}'), "a")).toThrow(/should be encrypted is not/);
  });

  test("sealed repeatably, the same owner's same bytes give the same, anything else another; it opens as ever", () => {
    const seal = (text: string, context: string, owner: string, by = sealer) =>
      Buffer.from(by.sealRepeatably(bytes(text), context, owner)).toString("hex");
    const first = seal("911", "t.c", "fp_1");
    expect(seal("911", "t.c", "fp_1")).toBe(first);
    const others = [
      seal("912", "t.c", "fp_1"),
      seal("811", "t.c", "fp_1"),
      seal("911", "t.d", "fp_1"),
      seal("911", "t.c", "fp_2"),
      seal("911", "t.c", "fp_1", rotated),
      seal("1911", "t.c", "fp_"),
    ];
    // The IV comes first in what follows mark and key id: two texts never share one.
    const ivOf = (hex: string) => hex.slice(14, 38);
    expect(new Set([first, ...others].map(ivOf)).size).toBe(7);
    expect(Buffer.from(rotated.open(Buffer.from(first, "hex"), "t.c"))).toEqual(bytes("911"));
    expect(() => sealer.open(Buffer.from(first, "hex"), "t.d")).toThrow(InputError);
  });
});
