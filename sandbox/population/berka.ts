import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { InputError } from "../../src/domain/failures.js";
import type { NewEvent, World } from "../world/world.js";

export interface BerkaPopulation {
  kind: "berka";
  /** Directory with `trans.csv.gz` and `disp.csv.gz` of the PKDD'99 bank data. */
  directory: string;
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  VKLAD: "Cash deposit",
  VYBER: "Cash withdrawal",
  "VYBER KARTOU": "Card withdrawal",
  "PREVOD Z UCTU": "Transfer from another bank",
  "PREVOD NA UCET": "Transfer to another bank",
  UROK: "Interest credited",
  "SANKC. UROK": "Interest charged",
  SLUZBY: "Statement fee",
  SIPO: "Household payment",
  DUCHOD: "Pension",
  POJISTNE: "Insurance payment",
  UVER: "Loan payment",
};

/**
 * Fills a world with real, anonymised bank data: a user a client who owns an account, a link an account,
 * amounts as the file writes them.
 * @throws InputError if a file can't be read or a line does not have its columns.
 */
export function populateBerka(world: World, { directory }: Omit<BerkaPopulation, "kind">): void {
  const events = new Map<string, NewEvent[]>();
  const rows = readTable(directory, "trans.csv.gz", 10);
  rows.forEach(([id, account, date, type, operation, amount, , symbol], index) => {
    const list = events.get(account!) ?? [];
    events.set(account!, list);
    const kind = symbol!.trim() || operation!.trim();
    if (type !== "PRIJEM" && type !== "VYDAJ" && type !== "VYBER") {
      throw new InputError(
        `${directory}/trans.csv.gz line ${index + 2}: unknown type; accepted are PRIJEM, VYDAJ, VYBER`,
      );
    }
    list.push({
      change: "created",
      row: {
        transaction_id: `berka_${id}`,
        account_id: `berka_acc_${account}`,
        amount: amount!,
        currency: "CZK",
        date: `19${date!.slice(0, 2)}-${date!.slice(2, 4)}-${date!.slice(4, 6)}`,
        datetime: null,
        type: type === "PRIJEM" ? "credit" : "debit",
        pending: false,
        description: DESCRIPTIONS[kind] ?? null,
        raw_description: [type, operation, symbol!.trim()].filter(Boolean).join(" "),
      },
    });
  });
  for (const [, client, account, role] of readTable(directory, "disp.csv.gz", 4)) {
    if (role !== "OWNER") continue;
    const link = world.addLink({
      fp_id: `berka_client_${client}`,
      id: `berka_link_${account}`,
      fields: { institution_name: "PKDD Bank", provider: "berka" },
      accounts: [{ id: `berka_acc_${account}` }],
    });
    world.append(link.id, events.get(account!) ?? []);
  }
}

function readTable(directory: string, name: string, columns: number): string[][] {
  const file = join(directory, name);
  let text: string;
  try {
    text = gunzipSync(readFileSync(file)).toString("latin1");
  } catch (error) {
    throw new InputError(
      `${file}: can't be read (${(error as Error).message}); give the directory of the bank data`,
    );
  }
  const lines = text.split(/\r?\n/).slice(1).filter(Boolean);
  return lines.map((line, index) => {
    const fields = line.split(";").map((field) => (field.startsWith('"') ? field.slice(1, -1) : field));
    if (fields.length !== columns) {
      throw new InputError(`${file} line ${index + 2}: ${fields.length} columns instead of ${columns}`);
    }
    return fields;
  });
}
