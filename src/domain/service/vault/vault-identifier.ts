import { type BrokenRule, broken } from "../../row-problem.js";
import { nearestOf } from "../../words/nearest.js";
import { hasLoneSurrogate } from "../transaction-values.js";

/** By group (docs/reference/service.md, "Data identifiers"). */
const GROUPS = {
  id: [
    ...["first_name", "middle_name", "last_name", "dob", "ssn4", "ssn9", "address_line1", "address_line2"],
    ...["city", "state", "zip", "country", "email", "phone_number", "us_legal_status", "visa_kind"],
    ...["visa_expiration_date", "nationality", "citizenships", "drivers_license_number"],
    ...["drivers_license_state", "itin", "us_tax_id"],
  ],
  investor_profile: [
    ...["employment_status", "occupation", "employer", "annual_income", "net_worth", "investment_goals"],
    ...["risk_tolerance", "declarations", "brokerage_firm_employer", "senior_executive_symbols"],
    ...["family_member_names", "political_organization", "funding_sources"],
  ],
  document: ["id_card.front.image", "id_card.front.mime_type", "id_card.back.image"],
  business: [
    ...["name", "dba", "website", "phone_number", "tin", "address_line1", "address_line2", "city", "state"],
    ...["zip", "country", "corporation_type", "formation_state", "formation_date"],
  ],
} as const;

type Group = keyof typeof GROUPS | "custom";

/** All but `custom.<name>`, in the document's order. */
export const VAULT_IDENTIFIERS: readonly string[] = Object.entries(GROUPS).flatMap(([group, names]) =>
  names.map((name) => `${group}.${name}`),
);

/** docs/reference/service.md, "Accepted identifiers". */
const USES = {
  client_token: ["id", "custom", "investor_profile", "document"],
  decrypt: ["id", "custom", "investor_profile", "document"],
  update: ["id", "custom", "investor_profile", "document"],
  create_business: ["business", "custom"],
  upload: ["id", "business", "custom", "investor_profile", "document"],
  ingress: ["id", "business", "custom", "investor_profile", "document"],
} as const satisfies Record<string, readonly Group[]>;

export type IdentifierUse = keyof typeof USES;

const UPLOADED_PROFILE = ["investor_profile.employment_status", "investor_profile.occupation"];
const KNOWN: ReadonlySet<string> = new Set(VAULT_IDENTIFIERS);
const UNKNOWN = broken("unknown_identifier", "not a data identifier");

/** Why an identifier can't be used so, without quoting it. */
export function identifierProblem(use: IdentifierUse, identifier: string): BrokenRule | undefined {
  const group = identifier.slice(0, Math.max(0, identifier.indexOf(".")));
  const groups: readonly string[] = USES[use];
  if (group !== "custom" && !KNOWN.has(identifier)) return UNKNOWN;
  if (!groups.includes(group))
    return broken("identifier_group", `of the group ${group}, which is not accepted here`);
  if (group === "custom") return customNameProblem(identifier.slice("custom.".length));
  if (use === "upload" && group === "investor_profile" && !UPLOADED_PROFILE.includes(identifier)) {
    return broken("identifier_upload", "of the group investor_profile, of which it takes no upload");
  }
  return undefined;
}

/** Beyond the contract, some services take uploads of these. */
export function isDocument(identifier: string): boolean {
  return identifier.startsWith("document.");
}

/** Some services answer 500 to uploads of all others. */
export function isUploadedEverywhere(identifier: string): boolean {
  return identifier.startsWith("custom.") || isDocument(identifier);
}

/** What a use accepts, for messages: the nearest names first where the group is right. */
export function acceptedIdentifiers(use: IdentifierUse, identifier = ""): string {
  const names: readonly string[] = USES[use];
  const [group = ""] = identifier.split(".");
  if (names.includes(group) && identifierProblem(use, identifier) === UNKNOWN) {
    const known = VAULT_IDENTIFIERS.filter((one) => one.startsWith(`${group}.`));
    const near = nearestOf(known, identifier);
    return near === undefined ? known.join(", ") : `${near} and the other identifiers of the group ${group}`;
  }
  const groups = names.map((group) =>
    group === "custom"
      ? "custom.<name>"
      : use === "upload" && group === "investor_profile"
        ? UPLOADED_PROFILE.join(", ")
        : `${group}.*`,
  );
  return groups.join(", ");
}

function customNameProblem(name: string): BrokenRule | undefined {
  if (name.trim() === "") return broken("custom_unnamed", "custom without a name");
  if (!/\p{Cc}/u.test(name) && !hasLoneSurrogate(name)) return undefined;
  return broken("custom_name", "a custom name with a control character or a lone surrogate");
}
