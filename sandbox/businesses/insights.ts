import { addDays } from "../world/days.js";
import { Random } from "../world/random.js";

const COMPANIES = [
  "Acme Widgets LLC",
  "Žižkov Trading s.r.o.",
  "Blue Heron & Sons, Inc.",
  "O'Malley Freight",
];
const PEOPLE = ["Ada Novák", "José García", "Siobhán O'Brien", "Kwame Okafor", "Yuki Tanaka"];
const STATES = ["DE", "NY", "CA", "TX"];
const ROLES = ["owner", "officer", "director", null];

/**
 * The insights of a business onboarding (docs/reference/service.md, "Business insights"): seeded; optional fields are
 * there, null, or missing.
 */
export function businessInsights(seed: string, submittedName?: string): Record<string, unknown> {
  const random = new Random(seed);
  const name = submittedName ?? random.pick(COMPANIES);
  const insights: Record<string, unknown> = {
    addresses: several(random, 1, 3, () => address(random)),
    names: [
      {
        kind: "legal",
        name,
        sources: "sos",
        sub_status: "active",
        submitted: true,
        verified: checked(random),
      },
      ...several(random, 0, 2, () => ({ kind: "dba", name: `${name} ${random.int(9)}`, submitted: false })),
    ],
    people: several(random, 0, 3, () => person(random)),
    registrations: several(random, 0, 3, () => registration(random, name)),
  };
  if (random.chance(0.9)) insights.details = details(random);
  if (random.chance(0.9)) insights.watchlist = watchlist(random, name);
  return insights;
}

function address(random: Random): Record<string, unknown> {
  const state = random.pick(STATES);
  return sparse(random, {
    address_line1: `${1 + random.int(999)} Market St`,
    address_line2: random.chance(0.3) ? "Suite 5" : null,
    city: "Springfield",
    state,
    postal_code: String(10_000 + random.int(89_999)),
    latitude: Math.round((25 + random.next() * 20) * 1e6) / 1e6,
    longitude: -Math.round((70 + random.next() * 50) * 1e6) / 1e6,
    cmra: random.chance(0.1),
    deliverable: random.chance(0.9),
    verified: checked(random),
    submitted: random.chance(0.5),
    property_type: random.pick(["commercial", "residential"]),
    sources: "sos,irs",
  });
}

function details(random: Random): Record<string, unknown> {
  return sparse(random, {
    entity_type: random.pick(["llc", "corporation"]),
    formation_date: addDays("1990-01-01", random.int(12_000)),
    formation_state: random.pick(STATES),
    phone_numbers: several(random, 0, 2, () => ({
      phone: `+1555555${String(random.int(10_000)).padStart(4, "0")}`,
      submitted: random.chance(0.5),
      verified: checked(random),
    })),
    tin: { tin: "00-0000000", potential_match: random.chance(0.2), verified: checked(random) },
    website: { url: "https://business.example.com", verified: checked(random) },
  });
}

function person(random: Random): Record<string, unknown> {
  return {
    name: random.pick(PEOPLE),
    role: random.pick(ROLES),
    sources: "sos",
    association_verified: checked(random),
    submitted: random.chance(0.5),
  };
}

function registration(random: Random, name: string): Record<string, unknown> {
  const jurisdiction = random.pick(STATES);
  const optional = sparse(random, {
    entity_type: "llc",
    file_number: String(random.int(10_000_000)),
    jurisdiction,
    name,
    registered_agent: "Registered Agents Inc.",
    registration_date: addDays("1990-01-01", random.int(12_000)),
    source: `sos_${jurisdiction.toLowerCase()}`,
    state: jurisdiction,
    status: random.pick(["active", "inactive"]),
    sub_status: random.chance(0.5) ? "good_standing" : null,
  });
  const officers = several(random, 0, 2, () => ({ name: random.pick(PEOPLE), roles: "president" }));
  return { addresses: several(random, 0, 2, () => "1 Market St, Springfield"), officers, ...optional };
}

function watchlist(random: Random, name: string): Record<string, unknown> {
  const business = several(random, 0, 1, () => screened(random, name));
  const people = several(random, 0, 2, () => screened(random, random.pick(PEOPLE)));
  const hit_count = [...business, ...people].reduce((sum, { hits }) => sum + hits.length, 0);
  return { hit_count, business, people };
}

function screened(random: Random, screened_entity_name: string) {
  const hits = several(random, 0, 2, () => ({
    agency: "Example Sanctions Office",
    agency_abbr: "ESO",
    agency_information_url: "https://agency.example.com",
    agency_list_url: "https://agency.example.com/list",
    entity_name: screened_entity_name,
    entity_addresses: several(random, 0, 2, () => "Unknown"),
    entity_aliases: several(random, 0, 2, () => random.pick(PEOPLE)),
    list_country: "US",
    list_name: "Specially Designated",
    url: "https://agency.example.com/entry",
  }));
  return { screened_entity_name, hits };
}

/** The result of a check: yes, no, or null when it was not attempted. */
function checked(random: Random): boolean | null {
  return random.pick([true, true, false, null]);
}

/** Leaves out some of the optional fields, and sets some to null. */
function sparse(random: Random, fields: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(fields).flatMap(([name, value]) => {
    const chance = random.next();
    if (chance < 0.1) return [];
    return [[name, chance < 0.15 ? null : value]];
  });
  return Object.fromEntries(entries);
}

function several<T>(random: Random, least: number, most: number, make: () => T): T[] {
  return Array.from({ length: least + random.int(most - least + 1) }, make);
}
