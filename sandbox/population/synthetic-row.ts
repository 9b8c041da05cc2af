import { addDays } from "../world/days.js";
import type { Random } from "../world/random.js";
import type { TransactionRow } from "../world/records.js";

const MERCHANTS = [
  "Café Zürich",
  "Łódź Księgarnia",
  "東京電力",
  "Tesco Stores 3021",
  'O\'Brien "Pub"',
  "Pâtisserie\u00a0d’Or 🥐",
  "مخبز النور",
  "line\nbreak\ttab",
  "back\\slash",
  " spaced ",
];
const CATEGORIES = ["food", "transport", "income", "utilities", "transfer"];
/** Valid by docs/use/tables.md, "Accepted values", and each one a way to go wrong. */
const AMOUNTS = [
  "0.00",
  "0.10",
  "-1234567890.12",
  "12.345",
  "0.0000000001",
  "999999999999999999.9999999999",
  "-0.01",
  "7",
];
const DATETIMES = [null, "T09:15:00Z", "T09:15:00.123456Z", "T23:59:59+02:00", "T00:00:00-0800", "T12:00:00"];

/** A valid transaction with the awkward values that banks send. */
export function syntheticRow(random: Random, id: string, accountId: string, date: string): TransactionRow {
  const merchant = random.pick(MERCHANTS);
  const yen = random.chance(0.08);
  const time = random.pick(DATETIMES);
  const row: TransactionRow = {
    transaction_id: id,
    account_id: accountId,
    amount: yen ? String(100 + random.int(90_000)) : amountText(random),
    currency: yen ? "JPY" : random.pick(["USD", "EUR", "CZK"]),
    date,
    type: random.chance(0.3) ? "credit" : "debit",
    pending: random.chance(0.06),
  };
  if (random.chance(0.8)) row.datetime = time === null ? null : date + time;
  if (random.chance(0.9)) row.description = random.chance(0.1) ? null : merchant;
  if (random.chance(0.9)) row.raw_description = `POS ${random.int(10_000)} ${merchant.toUpperCase()}`;
  if (random.chance(0.3)) row.category = random.pick(CATEGORIES);
  if (random.chance(0.8)) row.enrichment = random.chance(0.1) ? null : enrichment(random, merchant);
  return row;
}

/** A day at most `span` days before the given one, mostly a recent one. */
export function recentDay(random: Random, today: string, span: number): string {
  return addDays(today, -Math.floor(random.next() * random.next() * span));
}

function amountText(random: Random): string {
  if (random.chance(0.08)) return random.pick(AMOUNTS);
  const sign = random.chance(0.1) ? "-" : "";
  return `${sign}${random.int(5_000)}.${String(random.int(100)).padStart(2, "0")}`;
}

function enrichment(random: Random, merchant: string): Record<string, unknown> {
  const confidence = () => {
    const value = Math.round(random.next() * 10_000) / 10_000;
    return random.chance(0.5) ? value : String(value);
  };
  const party = (name: string) => ({
    id: `mer_${random.int(1_000)}`,
    name,
    logo: random.chance(0.5) ? null : `https://logos.example/${random.int(1_000)}.png`,
    confidence: confidence(),
  });
  return {
    category: { value: random.pick(CATEGORIES), confidence: confidence() },
    subcategory: { value: `${random.pick(CATEGORIES)}.other`, confidence: confidence() },
    merchant: random.chance(0.8) ? party(merchant) : null,
    ...(random.chance(0.3) ? { processor: party("Stripe") } : {}),
  };
}
