import { addDays } from "../world/days.js";
import { Random } from "../world/random.js";

const FIRST_NAMES = ["Ada", "Zoë", "Miloš", "Nadia", "José", "Ingrid", "Kwame", "Yuki", "Siobhán", "Omar"];
const LAST_NAMES = [
  "Novák",
  "O'Brien",
  "García",
  "Müller",
  "Okafor",
  "Tanaka",
  "Smith",
  "Łukasz",
  "D'Angelo",
];
const STREETS = ["Main St", "Oak Avenue", "5th Street", "Calle Ocho", "Žitná"];
const CITIES = [
  ["Springfield", "IL", "62701"],
  ["Portland", "OR", "97201"],
  ["Miami", "FL", "33101"],
  ["Boise", "ID", "83702"],
] as const;

/** The identity that a user's vault holds at the start: invented, the same for the same seed and user. */
export function seededIdentity(seed: string | number, fpId: string): Readonly<Record<string, string>> {
  const random = new Random(`${seed}/identity/${fpId}`);
  const first = random.pick(FIRST_NAMES);
  const last = random.pick(LAST_NAMES);
  const [city, state, zip] = random.pick(CITIES);
  // 900 to 999 are never given out as social security numbers.
  const ssn9 = `9${String(random.int(100_000_000)).padStart(8, "0")}`;
  return {
    "id.first_name": first,
    "id.last_name": last,
    "id.dob": addDays("1940-01-01", random.int(23_000)),
    "id.ssn9": ssn9,
    "id.ssn4": ssn9.slice(-4),
    "id.address_line1": `${1 + random.int(9_999)} ${random.pick(STREETS)}`,
    "id.city": city,
    "id.state": state,
    "id.zip": zip,
    "id.country": "US",
    "id.email": `${fpId.replace(/[^A-Za-z0-9]/g, "-")}@example.com`,
    "id.phone_number": `+1555555${String(random.int(10_000)).padStart(4, "0")}`,
  };
}
