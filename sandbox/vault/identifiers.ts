import { isJsonObject } from "../../src/domain/json/value.js";
import { Refusal, refuse } from "../http/answer.js";
import { isVaultValue, type VaultValue } from "./fields.js";

const NAMES: Readonly<Record<string, readonly string[]>> = {
  id: words(`first_name middle_name last_name dob ssn4 ssn9 address_line1 address_line2 city state zip country
    email phone_number us_legal_status visa_kind visa_expiration_date nationality citizenships
    drivers_license_number drivers_license_state itin us_tax_id`),
  investor_profile: words(`employment_status occupation employer annual_income net_worth investment_goals
    risk_tolerance declarations brokerage_firm_employer senior_executive_symbols family_member_names
    political_organization funding_sources`),
  document: words("id_card.front.image id_card.front.mime_type id_card.back.image"),
  business: words(`name dba website phone_number tin address_line1 address_line2 city state zip country
    corporation_type formation_state formation_date`),
};

const PERSON = ["id", "custom", "investor_profile", "document"];

/** Which groups of identifiers each operation accepts (docs/reference/service.md, "Accepted identifiers"). */
const ACCEPTED = {
  client_token: PERSON,
  decrypt: PERSON,
  update: PERSON,
  create_business: ["business", "custom"],
  upload: ["id", "business", "custom", "investor_profile"],
  proxy: [...PERSON, "business"],
} as const satisfies Record<string, readonly string[]>;

type IdentifierUse = keyof typeof ACCEPTED;

/** The only ones of the investor profile that can be uploaded. */
const UPLOADED_PROFILE = ["investor_profile.employment_status", "investor_profile.occupation"];

/** Whether an operation accepts an identifier; `custom.` takes any name. */
export function isAccepted(use: IdentifierUse, identifier: string): boolean {
  const dot = identifier.indexOf(".");
  const group = identifier.slice(0, Math.max(0, dot));
  const name = identifier.slice(dot + 1);
  if (!(ACCEPTED[use] as readonly string[]).includes(group)) return false;
  if (use === "upload" && group === "investor_profile") return UPLOADED_PROFILE.includes(identifier);
  return group === "custom" ? name.trim() !== "" : NAMES[group]!.includes(name);
}

/** As services do that take uploads of few kinds. @throws Refusal 500 for any other */
export function checkUploadOfFew(identifier: string): void {
  if (/^(custom|document)\./.test(identifier) && isAccepted("update", identifier)) return;
  throw new Refusal(500, "internal", "something went wrong");
}

/** @throws Refusal 400 naming the identifier: a name is not a secret. */
export function checkIdentifiers(use: IdentifierUse, identifiers: readonly string[]): void {
  const wrong = identifiers.find((identifier) => !isAccepted(use, identifier));
  if (wrong !== undefined) refuse(`data identifier "${wrong}" is not accepted here`);
}

/** The values of a body by their identifiers. @throws Refusal 400 for what the operation does not accept. */
export function vaultValues(
  use: IdentifierUse,
  body: unknown,
  takesLists = false,
): Readonly<Record<string, VaultValue>> {
  if (!isJsonObject(body)) refuse("body: not an object");
  const identifiers = Object.keys(body);
  checkIdentifiers(use, identifiers);
  const wrong = identifiers.find((identifier) => {
    const value = body[identifier];
    return !isVaultValue(value) && !(takesLists && Array.isArray(value));
  });
  if (wrong !== undefined) refuse(`body: field "${wrong}": not a string, integer, boolean or object`);
  return body as Record<string, VaultValue>;
}

function words(text: string): readonly string[] {
  return text.split(/\s+/);
}
