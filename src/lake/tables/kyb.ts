import type { Column, TableSpec } from "../delta/delta-schema.js";
import { bigint, boolean, integer, timestamptz, varchar } from "./columns.js";

const encrypted = <const N extends string>(...names: readonly N[]) =>
  names.map((name) => ({ name, type: "VARCHAR", encrypted: true }) as const);

const KEY = varchar("run_id", "fp_bid", "onboarding_id");
const PLACE = [...KEY, ...integer("position")] as const;
/** What tells an absent field from one that is null, and keeps fields without a column. */
const REST = [
  ...varchar("absent", "nulls"),
  ...encrypted("other_fields"),
] as const satisfies readonly Column[];

/** One row per onboarding of a business, with what is known of the business after it. */
export const businessInsights = {
  name: "business_insights",
  columns: [
    ...KEY,
    ...varchar("external_id", "fp_id", "onboarding_external_id", "playbook_key", "status"),
    ...timestamptz("created_at"),
    ...varchar("created_at_text", "insights"),
    ...timestamptz("asked_at"),
    ...varchar("entity_type", "formation_date", "formation_state"),
    ...encrypted("tin"),
    ...boolean("tin_potential_match", "tin_verified"),
    ...varchar("website_url"),
    ...boolean("website_verified"),
    ...bigint("watchlist_hit_count"),
    ...varchar("screened_businesses", "screened_people"),
    ...REST,
  ],
} as const satisfies TableSpec;

/** One row per address of a business. */
export const businessAddresses = {
  name: "business_addresses",
  columns: [
    ...PLACE,
    ...encrypted("address_line1", "address_line2"),
    ...varchar("city", "state"),
    ...encrypted("postal_code", "latitude", "longitude"),
    ...boolean("cmra", "deliverable", "verified", "submitted"),
    ...varchar("property_type", "sources"),
    ...REST,
  ],
} as const satisfies TableSpec;

/** One row per name of a business. */
export const businessNames = {
  name: "business_names",
  columns: [
    ...PLACE,
    ...varchar("kind", "name", "sources", "sub_status"),
    ...boolean("submitted", "verified"),
    ...REST,
  ],
} as const satisfies TableSpec;

/** One row per person of a business. */
export const businessPeople = {
  name: "business_people",
  columns: [
    ...PLACE,
    ...varchar("name", "role", "sources"),
    ...boolean("association_verified", "submitted"),
    ...REST,
  ],
} as const satisfies TableSpec;

/** One row per registration of a business. */
export const businessRegistrations = {
  name: "business_registrations",
  columns: [
    ...PLACE,
    ...encrypted("addresses"),
    ...varchar("entity_type", "file_number", "jurisdiction", "name", "registered_agent"),
    ...varchar("registration_date", "source", "state", "status", "sub_status"),
    ...REST,
  ],
} as const satisfies TableSpec;

/** One row per officer of a registration. */
export const businessRegistrationOfficers = {
  name: "business_registration_officers",
  columns: [...KEY, ...integer("registration", "position"), ...varchar("name", "roles"), ...REST],
} as const satisfies TableSpec;

/** One row per entry of a watchlist that a screening found. */
export const businessWatchlistHits = {
  name: "business_watchlist_hits",
  columns: [
    ...KEY,
    ...varchar("screened"),
    ...integer("entity", "position"),
    ...varchar("screened_entity_name", "agency", "agency_abbr", "agency_information_url", "agency_list_url"),
    ...varchar("entity_name", "list_country", "list_name", "url"),
    ...encrypted("entity_addresses"),
    ...varchar("entity_aliases"),
    ...REST,
  ],
} as const satisfies TableSpec;

/** One row per phone number of a business. */
export const businessPhoneNumbers = {
  name: "business_phone_numbers",
  columns: [...PLACE, ...encrypted("phone"), ...boolean("submitted", "verified"), ...REST],
} as const satisfies TableSpec;

/** The tables of KYB exports; the others are keyed to the last one, which is written last. */
export const KYB_TABLES = [
  businessAddresses,
  businessNames,
  businessPeople,
  businessRegistrations,
  businessRegistrationOfficers,
  businessWatchlistHits,
  businessPhoneNumbers,
  businessInsights,
] as const satisfies readonly TableSpec[];
