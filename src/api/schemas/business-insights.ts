import { z } from "zod";
import { anyText, each, integer, listOf, looseObject, optionalFlag, optionalText } from "./fields.js";

const texts = listOf(anyText);
// Text where a double would change it.
const optionalNumber = z.union([z.number(), z.string().regex(/^-?\d[\d.eE+-]*$/)], "not a number").nullish();

const address = looseObject({
  ...each(optionalText, "address_line1", "address_line2", "city", "state", "postal_code"),
  ...each(optionalNumber, "latitude", "longitude"),
  ...each(optionalFlag, "cmra", "deliverable", "verified", "submitted"),
  ...each(optionalText, "property_type", "sources"),
});

const phoneNumber = looseObject({ phone: optionalText, ...each(optionalFlag, "submitted", "verified") });

const details = looseObject({
  ...each(optionalText, "entity_type", "formation_date", "formation_state"),
  phone_numbers: listOf(phoneNumber).nullish(),
  tin: looseObject({ tin: optionalText, ...each(optionalFlag, "potential_match", "verified") }).nullish(),
  website: looseObject({ url: optionalText, verified: optionalFlag }).nullish(),
});

const name = looseObject({
  ...each(optionalText, "kind", "name", "sources", "sub_status"),
  submitted: optionalFlag,
  verified: optionalFlag,
});

const person = looseObject({
  ...each(optionalText, "name", "role", "sources"),
  association_verified: optionalFlag,
  submitted: optionalFlag,
});

const registration = looseObject({
  addresses: texts,
  ...each(optionalText, "entity_type", "file_number", "jurisdiction", "name", "registered_agent"),
  ...each(optionalText, "registration_date", "source", "state", "status", "sub_status"),
  officers: listOf(looseObject({ name: optionalText, roles: z.unknown() })),
});

const hit = looseObject({
  ...each(optionalText, "agency", "agency_abbr", "agency_information_url", "agency_list_url"),
  ...each(optionalText, "entity_name", "list_country", "list_name", "url"),
  ...each(texts, "entity_addresses", "entity_aliases"),
});

const screened = listOf(looseObject({ screened_entity_name: optionalText, hits: listOf(hit) }));

/** docs/reference/service.md, "Business insights". */
export const businessInsightsSchema = looseObject({
  addresses: listOf(address),
  details: details.nullish(),
  names: listOf(name),
  people: listOf(person),
  registrations: listOf(registration),
  watchlist: looseObject({
    hit_count: integer.nullish(),
    ...each(screened, "business", "people"),
  }).nullish(),
});
export type BusinessInsights = z.output<typeof businessInsightsSchema>;
