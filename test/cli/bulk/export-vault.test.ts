import { expect, test } from "vitest";
import { vaultOptions } from "../../../src/cli/bulk/export-vault.js";
import { InputError } from "../../../src/domain/failures.js";

const GIVEN = { roster: "users.csv", fields: "id.email", reason: "yearly review" };

const REFUSED: readonly (readonly [flags: Partial<Parameters<typeof vaultOptions>[0]>, message: RegExp])[] = [
  [{ fields: "id.ssn9" }, /--fields: id.ssn9 would be decrypted as it is, and is a secret/],
  [{ fields: "id.email,custom.cardNo", transforms: "to_lowercase" }, /: custom.cardNo would be/],
  [{ fields: "id.ssn9,id.ssn4", transforms: "suffix(4)" }, /: id.ssn4 would be/],
  [{ fields: "id.ssn9", transforms: "hmac_sha256('k')" }, /must not be on the command line/],
  [{ fields: "id.ssn9", transforms: "hmac_sha256" }, /needs --hmac-key/],
  [{ hmacKey: "key" }, /--hmac-key is given/],
  [{ transforms: "shout" }, /--transforms: not a known transform/],
  [{ transforms: "suffix(4" }, /--transforms: /],
  [{ fields: "id.nickname" }, /--fields: id.nickname is not a data identifier/],
  [{ fields: "business.tin" }, /of the group business/],
  [{ fields: " ," }, /--fields names no field/],
  [{ reason: " " }, /--reason is blank/],
];

test.each(REFUSED)("%j is refused, and nothing is started", (flags, message) => {
  const refused = () => vaultOptions({ ...GIVEN, ...flags });
  expect(refused).toThrow(InputError);
  expect(refused).toThrow(message);
  expect(refused).toThrow(/Nothing was started/);
});

test("options name each field once and each transform in its one form", () => {
  const transforms = "suffix( 3 ), replace('a, (b','')";
  expect(vaultOptions({ ...GIVEN, fields: "id.dob, id.email,id.dob", transforms })).toEqual({
    fields: "id.dob,id.email",
    reason: "yearly review",
    transforms: "suffix(3),replace('a, (b','')",
  });
});

test("a key is no part of the options, and --allow-plain is", () => {
  const keyed = { fields: "id.ssn9", transforms: "hmac_sha256", hmacKey: "key.txt" };
  expect(vaultOptions({ ...GIVEN, ...keyed })).toMatchObject({ transforms: "hmac_sha256" });
  expect(JSON.stringify(vaultOptions({ ...GIVEN, ...keyed }))).not.toContain("key.txt");
  expect(vaultOptions({ ...GIVEN, fields: "id.ssn9", allowPlain: true })).toMatchObject({
    allow_plain: true,
  });
});
