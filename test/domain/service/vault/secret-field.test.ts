import { expect, test } from "vitest";
import { isProtected, isSecretField } from "../../../../src/domain/service/vault/secret-field.js";

const SECRET = [
  "id.ssn4",
  "id.ssn9",
  "id.itin",
  "id.us_tax_id",
  "id.drivers_license_number",
  "document.id_card.front.image",
  "custom.card_number",
  "custom.cardNumber",
  "custom.CARD",
  "custom.bank-account",
  "custom.accountNo",
  "custom.iban",
  "custom.password",
  "custom.login.passwd",
  "custom.PIN",
  "custom.cvv",
  "custom.taxId",
  "custom.tax",
  "custom.api key",
  "custom.routing_number",
];
const OPEN = [
  "id.email",
  "id.dob",
  "id.first_name",
  "investor_profile.net_worth",
  "document.id_card.front.mime_type",
  "custom.shipping_address",
  "custom.spinner",
  "custom.keyboard",
  "custom.nickname",
];

test.each(SECRET)("%s is a secret", (field) => expect(isSecretField(field)).toBe(true));
test.each(OPEN)("%s is none", (field) => expect(isSecretField(field)).toBe(false));

const PROTECTED: readonly (readonly [field: string, transforms: readonly string[], is: boolean])[] = [
  ["id.ssn9", [], false],
  ["id.ssn9", ["to_lowercase"], false],
  ["id.ssn9", ["replace('-','')", "wrap_quotes"], false],
  ["id.ssn9", ["suffix(4)"], true],
  ["id.ssn9", ["prefix(4)", "wrap_quotes"], true],
  ["id.ssn9", ["suffix(5)"], false],
  ["id.ssn9", ["hmac_sha256('k')"], true],
  ["id.ssn9", ["to_ascii", "encrypt('rsa','key')"], true],
  ["id.ssn9", ["hmac_sha256"], false],
  ["id.ssn4", ["suffix(4)"], false],
  ["id.ssn4", ["hmac_sha256('k')"], true],
  ["custom.cvv", ["suffix(3)"], false],
  ["custom.card_number", ["suffix(4)"], true],
];

test.each(PROTECTED)("%s under %j: %j", (field, transforms, is) => {
  expect(isProtected(field, transforms)).toBe(is);
});
