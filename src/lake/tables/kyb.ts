import type { Column, TableSpec } from "../delta/delta-schema.js";
import { bigint, boolean, encrypted, integer, timestamptz, varchar } from "./columns.js";

const KEY = varchar({
  run_id: "the export: its id",
  fp_bid: "the business",
  onboarding_id: "the onboarding",
});
const PLACE = [...KEY, ...integer({ position: "place in the list, from 1" })] as const;
/** Absent fields as opposed to null ones, and fields without a column. */
const REST = [
  ...varchar({ absent: "the fields that the answer left out, as a JSON list" }),
  ...varchar({ nulls: "the fields that came as null, in the same way" }),
  ...encrypted({ other_fields: "fields without a column, as JSON; encrypted; null if there are none" }),
] as const satisfies readonly Column[];

export const businessInsights = {
  name: "business_insights",
  about: "One row for each onboarding of a business of a KYB export",
  columns: [
    ...KEY,
    ...varchar({ external_id: "your own id, from the file" }),
    ...varchar({ fp_id: "the person that the file ties the business to" }),
    ...varchar({ onboarding_external_id: "the external id of the onboarding" }),
    ...varchar({ playbook_key: "the playbook that ran", status: "of the onboarding, as the list gave it" }),
    ...timestamptz({ created_at: "when the onboarding was created; null if the text names no instant" }),
    ...varchar({ created_at_text: "the whole text that the service gave" }),
    ...varchar({ insights: "`found`, `none`, `not_ended`, `refused` or `no_onboarding`" }),
    ...timestamptz({ asked_at: "when the answer came; null if there is none" }),
    ...varchar({ entity_type: "kind of company" }),
    ...varchar({ formation_date: "when it was formed, as the service gave it" }),
    ...varchar({ formation_state: "where it was formed" }),
    ...encrypted({ tin: "the tax id; encrypted" }),
    ...boolean({ tin_potential_match: "whether the tax id may belong to it" }),
    ...boolean({ tin_verified: "whether the tax id was confirmed" }),
    ...varchar({ website_url: "its website" }),
    ...boolean({ website_verified: "whether the website was confirmed" }),
    ...bigint({ watchlist_hit_count: "entries of watchlists that were found" }),
    ...varchar({ screened_businesses: "the names of the businesses that were screened, as a JSON list" }),
    ...varchar({ screened_people: "the names of the people who were screened, in the same way" }),
    ...REST,
  ],
} as const satisfies TableSpec;

export const businessAddresses = {
  name: "business_addresses",
  about: "The addresses of a business, one row each",
  columns: [
    ...PLACE,
    ...encrypted({ address_line1: "first line; encrypted", address_line2: "second line; encrypted" }),
    ...varchar({ city: "city", state: "state" }),
    ...encrypted({ postal_code: "postal code; encrypted" }),
    ...encrypted({ latitude: "with every digit that came; encrypted" }),
    ...encrypted({ longitude: "with every digit that came; encrypted" }),
    ...boolean({ cmra: "whether it is a mail-receiving agency" }),
    ...boolean({ deliverable: "whether the postal service delivers there" }),
    ...boolean({ verified: "whether it was confirmed; null if nothing was attempted" }),
    ...boolean({ submitted: "whether the business itself gave it" }),
    ...varchar({ property_type: "such as `commercial`" }),
    ...varchar({ sources: "where it was found, as the service says it" }),
    ...REST,
  ],
} as const satisfies TableSpec;

export const businessNames = {
  name: "business_names",
  about: "The names of a business, one row each",
  columns: [
    ...PLACE,
    ...varchar({ kind: "such as `legal` or `dba`", name: "the name" }),
    ...varchar({ sources: "where it was found, as the service says it" }),
    ...varchar({ sub_status: "as the service gives it" }),
    ...boolean({ submitted: "whether the business itself gave it" }),
    ...boolean({ verified: "whether it was confirmed; null if nothing was attempted" }),
    ...REST,
  ],
} as const satisfies TableSpec;

export const businessPeople = {
  name: "business_people",
  about: "The people of a business, one row each",
  columns: [
    ...PLACE,
    ...varchar({ name: "the name", role: "the role", sources: "where it was found, as the service says it" }),
    ...boolean({ association_verified: "whether the person belongs to the business" }),
    ...boolean({ submitted: "whether the business itself gave it" }),
    ...REST,
  ],
} as const satisfies TableSpec;

export const businessRegistrations = {
  name: "business_registrations",
  about: "The registrations of a business, one row each",
  columns: [
    ...PLACE,
    ...encrypted({ addresses: "the addresses, as a JSON list; encrypted" }),
    ...varchar({ entity_type: "kind of company", file_number: "the number of the registration" }),
    ...varchar({ jurisdiction: "where it is registered", name: "the registered name" }),
    ...varchar({ registered_agent: "the registered agent" }),
    ...varchar({ registration_date: "when, as the service gave it", source: "the register", state: "state" }),
    ...varchar({ status: "such as `active`", sub_status: "as the service gives it" }),
    ...REST,
  ],
} as const satisfies TableSpec;

export const businessRegistrationOfficers = {
  name: "business_registration_officers",
  about: "The officers of the registrations, one row each",
  columns: [
    ...KEY,
    ...integer({
      registration: "`position` of the registration",
      position: "place among its officers, from 1",
    }),
    ...varchar({ name: "the name", roles: "a text as it is, anything else as JSON" }),
    ...REST,
  ],
} as const satisfies TableSpec;

export const businessWatchlistHits = {
  name: "business_watchlist_hits",
  about: "The entries of watchlists that a screening found, one row each",
  columns: [
    ...KEY,
    ...varchar({ screened: "`business` or `people`: the list of who was screened" }),
    ...integer({ entity: "place in that list, from 1" }),
    ...integer({ position: "place among the entries that were found, from 1" }),
    ...varchar({ screened_entity_name: "who was screened", agency: "the agency" }),
    ...varchar({ agency_abbr: "its abbreviation", agency_information_url: "its address" }),
    ...varchar({ agency_list_url: "the address of its list" }),
    ...varchar({ entity_name: "the name in the entry", list_country: "the country of the list" }),
    ...varchar({ list_name: "the list", url: "the entry" }),
    ...encrypted({ entity_addresses: "the addresses in the entry, as a JSON list; encrypted" }),
    ...varchar({ entity_aliases: "other names in the entry, as a JSON list" }),
    ...REST,
  ],
} as const satisfies TableSpec;

export const businessPhoneNumbers = {
  name: "business_phone_numbers",
  about: "The phone numbers of a business, one row each",
  columns: [
    ...PLACE,
    ...encrypted({ phone: "the number; encrypted" }),
    ...boolean({
      submitted: "whether the business itself gave it",
      verified: "whether it was confirmed; null if nothing was attempted",
    }),
    ...REST,
  ],
} as const satisfies TableSpec;

/** Keyed to the last one, which is written last. */
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
