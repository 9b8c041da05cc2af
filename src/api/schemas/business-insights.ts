import { z } from "zod";
import { optionalFlag, optionalText } from "./texts.js";

const flag = z.boolean("not true or false");
const texts = z.array(z.string("not text"), "not a list");
const optionalNumber = z.number("not a number").nullish();

const address = z.looseObject(
  {
    address_line1: optionalText,
    address_line2: optionalText,
    city: optionalText,
    state: optionalText,
    postal_code: optionalText,
    latitude: optionalNumber,
    longitude: optionalNumber,
    cmra: optionalFlag,
    deliverable: optionalFlag,
    verified: optionalFlag,
    submitted: optionalFlag,
    property_type: optionalText,
    sources: optionalText,
  },
  "not an object",
);

const details = z.looseObject(
  {
    entity_type: optionalText,
    formation_date: optionalText,
    formation_state: optionalText,
    phone_numbers: z
      .array(
        z.looseObject(
          { phone: optionalText, submitted: optionalFlag, verified: optionalFlag },
          "not an object",
        ),
        "not a list",
      )
      .nullish(),
    tin: z
      .looseObject(
        { tin: optionalText, potential_match: optionalFlag, verified: optionalFlag },
        "not an object",
      )
      .nullish(),
    website: z.looseObject({ url: optionalText, verified: optionalFlag }, "not an object").nullish(),
  },
  "not an object",
);

const name = z.looseObject(
  {
    kind: optionalText,
    name: optionalText,
    sources: optionalText,
    sub_status: optionalText,
    submitted: flag,
    verified: optionalFlag,
  },
  "not an object",
);

const person = z.looseObject(
  {
    name: optionalText,
    role: optionalText,
    sources: optionalText,
    association_verified: optionalFlag,
    submitted: flag,
  },
  "not an object",
);

const registration = z.looseObject(
  {
    addresses: texts,
    entity_type: optionalText,
    file_number: optionalText,
    jurisdiction: optionalText,
    name: optionalText,
    registered_agent: optionalText,
    registration_date: optionalText,
    source: optionalText,
    state: optionalText,
    status: optionalText,
    sub_status: optionalText,
    officers: z.array(
      z.looseObject({ name: optionalText, roles: z.unknown() }, "not an object"),
      "not a list",
    ),
  },
  "not an object",
);

const hit = z.looseObject(
  {
    agency: optionalText,
    agency_abbr: optionalText,
    agency_information_url: optionalText,
    agency_list_url: optionalText,
    entity_name: optionalText,
    list_country: optionalText,
    list_name: optionalText,
    url: optionalText,
    entity_addresses: texts,
    entity_aliases: texts,
  },
  "not an object",
);

const screened = z.array(
  z.looseObject({ screened_entity_name: optionalText, hits: z.array(hit, "not a list") }, "not an object"),
  "not a list",
);

/** What is known of a business after its verification (docs/reference/service.md, "Business insights"). */
export const businessInsightsSchema = z.looseObject(
  {
    addresses: z.array(address, "not a list"),
    details: details.nullish(),
    names: z.array(name, "not a list"),
    people: z.array(person, "not a list"),
    registrations: z.array(registration, "not a list"),
    watchlist: z
      .looseObject(
        { hit_count: z.int("not an integer").nullish(), business: screened, people: screened },
        "not an object",
      )
      .nullish(),
  },
  "not an object",
);
