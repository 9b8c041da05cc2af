import { addDays } from "../world/days.js";
import { Random } from "../world/random.js";
import type { LinkFields, TransactionRow } from "../world/records.js";
import type { NewEvent, World } from "../world/world.js";
import { recentDay, syntheticRow } from "./synthetic-row.js";

export interface SyntheticPopulation {
  kind: "synthetic";
  users?: number;
  linksPerUser?: number;
  accountsPerLink?: number;
  /** Transactions created in each link's history; every tenth is later updated, every twentieth removed. */
  rows?: number;
  /** One more link in every state and error code but `connected`, spread over the users. */
  otherStates?: boolean;
  seed?: number;
}

/** Banks post within days, so no pending row is older. */
const PENDING_DAYS = 7;

const ERROR_CODES = [
  "system_error",
  "provider_error",
  "institution_error",
  "user_error",
  "auth_expired",
  "no_accounts",
  "user_setup_required",
  "invalid_credentials",
  "user_oauth_denied",
  "user_input_incorrect",
  "incomplete",
];
const OTHER_STATES: readonly LinkFields[] = [
  { state: "connecting" },
  { state: "deleted" },
  ...ERROR_CODES.map((error_code) => ({ state: "error", error_code })),
];

/** Fills a world with seeded users whose rows hold awkward but valid values. */
export function populateSynthetic(world: World, options: Omit<SyntheticPopulation, "kind">): void {
  const { users = 3, linksPerUser = 2, accountsPerLink = 2, rows = 120, seed = 1 } = options;
  for (let user = 1; user <= users; user++) {
    const fp_id = `fp_id_${String(user).padStart(5, "0")}`;
    world.addUser(user % 3 === 0 ? { fp_id } : { fp_id, external_id: `customer-${user}` });
    for (let number = 1; number <= linksPerUser; number++) {
      const random = new Random(`${seed}/${user}/${number}`);
      const accounts = Array.from({ length: accountsPerLink }, (_, index) => accountOf(random, index));
      const link = world.addLink({
        fp_id,
        accounts,
        fields: { institution_name: random.pick(["Banka Žižkov", "Example Bank"]) },
      });
      world.append(link.id, history(random, world.today, link.id, accountsPerLink, rows));
    }
  }
  if (!options.otherStates) return;
  const owners = [...world.users.keys()];
  OTHER_STATES.forEach((fields, index) => {
    const fp_id = owners[index % owners.length];
    if (fp_id !== undefined)
      world.addLink({ fp_id, id: `link_${fields.error_code ?? fields.state}`, fields });
  });
}

function accountOf(random: Random, index: number) {
  if (index % 2 === 0) return {};
  const balances = {
    available: null,
    balance_date: "2026-11-19T22:00:00-05:00",
    currency: "JPY",
    current: "500",
    limit: "100000",
  };
  return {
    fields: {
      name: "クレジット",
      nickname: "travel",
      mask: String(1000 + random.int(9000)),
      account_type: "credit.card",
      balances,
    },
  };
}

function history(random: Random, today: string, linkId: string, accounts: number, rows: number): NewEvent[] {
  const events: NewEvent[] = [];
  for (let index = 0; index < rows; index++) {
    const id = `txn_${linkId}_${String(index).padStart(6, "0")}`;
    const account = `acc_${linkId}_${1 + random.int(Math.max(1, accounts))}`;
    const drawn = syntheticRow(random, id, account, recentDay(random, today, 730));
    const row = drawn.pending ? dated(drawn, addDays(today, -(index % PENDING_DAYS))) : drawn;
    events.push({ change: "created", row });
    if (index % 10 === 7) {
      const date = addDays(row.date, 1);
      events.push({
        change: "updated",
        row: { ...row, date, pending: false, description: `${row.description ?? ""} (posted)` },
      });
    }
    if (index % 20 === 13) events.push({ change: "removed", id });
  }
  return events;
}

function dated(row: TransactionRow, date: string): TransactionRow {
  return { ...row, date, ...(row.datetime ? { datetime: row.datetime.replace(row.date, date) } : {}) };
}
