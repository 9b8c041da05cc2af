import { InputError } from "../../src/domain/failures.js";
import { jsonObjectOf } from "../../src/domain/json/value.js";
import { addDays } from "../world/days.js";
import { Random } from "../world/random.js";
import type { HowAListMoves, World } from "../world/world.js";

/** A transaction or a security: its id and day to find it by, and the JSON served for it, byte for byte. */
interface InvestmentRecord {
  readonly id: string;
  readonly account_id: string;
  readonly date: string;
  readonly security_id: string | undefined;
  readonly text: string;
}

/**
 * Rows by script (docs/reference/service.md, "Investment transactions"); fields that are not set here
 * are served as given.
 */
export interface NewInvestments {
  /** The JSON to serve for a transaction, byte for byte. */
  raw?: readonly string[];
  transactions?: readonly (Readonly<Record<string, unknown>> & { investment_transaction_id: string })[];
  securities?: readonly (Readonly<Record<string, unknown>> & { security_id: string })[];
}

/** How many rows of a link change. */
export interface InvestmentChanges {
  readonly created?: number;
  readonly updated?: number;
  readonly removed?: number;
  /** Only rows of so many days before today; default: of two years. */
  readonly days?: number;
  readonly seed?: number;
}

interface Holdings {
  transactions: InvestmentRecord[];
  readonly securities: Map<string, string>;
}

/** The investments of bank links, the newest transaction first. */
export class InvestmentStore {
  readonly #holdings = new Map<string, Holdings>();
  #moved = 0;
  #changes = 0;

  constructor(private readonly world: World) {}

  /** Adds rows to a link, each in the place of one with its id. @throws InputError for an unknown link. */
  add(linkId: string, { transactions = [], securities = [], raw = [] }: NewInvestments): void {
    const link = this.world.link(linkId);
    const holdings = this.#of(linkId);
    for (const security of securities)
      holdings.securities.set(security.security_id, JSON.stringify(security));
    const added = raw.map(recordOf);
    for (const row of transactions) {
      const whole = {
        account_id: link.accounts[0]?.id ?? `acc_${linkId}_1`,
        amount: "100.00",
        date: this.world.today,
        description: "Buy",
        type: "buy",
        ...row,
      };
      added.push(recordOf(JSON.stringify(whole)));
    }
    this.remove(
      linkId,
      added.map(({ id }) => id),
    );
    holdings.transactions = [...holdings.transactions, ...added].sort((a, b) =>
      a.date < b.date ? 1 : a.date > b.date ? -1 : 0,
    );
  }

  /** Adds so many seeded rows, spread over two years. @throws InputError */
  fill(linkId: string, count: number, seed = 1): void {
    const random = new Random(`${seed}/investments/${linkId}`);
    const { accounts } = this.world.link(linkId);
    if (accounts.length === 0) throw new InputError(`link ${linkId} has no account: add one first`);
    const securities = Array.from({ length: Math.min(8, 1 + count) }, (_, index) => security(linkId, index));
    const transactions = Array.from({ length: count }, (_, index) => ({
      investment_transaction_id: `inv_${linkId}_${String(index).padStart(5, "0")}`,
      account_id: random.pick(accounts).id,
      date: addDays(this.world.today, -random.int(730)),
      security_id: random.pick(securities).security_id,
      ...amounts(random),
    }));
    this.add(linkId, { transactions, securities });
  }

  remove(linkId: string, ids: readonly string[]): void {
    const holdings = this.#of(linkId);
    const gone = new Set(ids);
    holdings.transactions = holdings.transactions.filter(({ id }) => !gone.has(id));
  }

  /** Changes so many seeded rows of a link, and only of the last days where that is asked for. */
  change(linkId: string, { created = 0, updated = 0, removed = 0, days, seed = 1 }: InvestmentChanges): void {
    const random = new Random(`${seed}/changes/${linkId}/${++this.#changes}`);
    const { today } = this.world;
    const rows = this.transactions(linkId).filter(({ date }) => !days || date >= addDays(today, -days));
    const drawn = () => rows.splice(random.int(rows.length), 1).map(({ text }) => jsonObjectOf(text));
    const changed = Array.from({ length: Math.min(updated, rows.length) }, drawn).flat();
    const gone = Array.from({ length: Math.min(removed, rows.length) }, drawn).flat();
    const { accounts } = this.world.link(linkId);
    const transactions = Array.from({ length: created }, (_, index) => ({
      investment_transaction_id: `inv_${linkId}_c${this.#changes}_${index}`,
      account_id: random.pick(accounts).id,
      date: addDays(today, -random.int(days ?? 730)),
      ...amounts(random),
    }));
    const updates = changed.map((row) => ({ ...row, ...amounts(random) }) as (typeof transactions)[number]);
    this.remove(
      linkId,
      gone.map((row) => String(row?.investment_transaction_id)),
    );
    this.add(linkId, { transactions: [...transactions, ...updates] });
  }

  transactions(linkId: string): readonly InvestmentRecord[] {
    return this.#holdings.get(linkId)?.transactions ?? [];
  }

  security(linkId: string, securityId: string): string | undefined {
    return this.#holdings.get(linkId)?.securities.get(securityId);
  }

  /**
   * A row goes in at the beginning of a link's list, or out of it: pages that follow are shifted by one. Replaced, one goes
   * out there and another one in at the end, so that the total stays.
   */
  move(linkId: string, how: HowAListMoves): void {
    const { transactions } = this.#of(linkId);
    const [first] = how === "insert" ? transactions : transactions.splice(0, 1);
    if (how === "remove") return;
    const account_id = first?.account_id ?? `acc_${linkId}_1`;
    const investment_transaction_id = `inv_${linkId}_moved_${++this.#moved}`;
    const row = { investment_transaction_id, account_id, amount: "1.00", date: this.world.today };
    const record = recordOf(JSON.stringify({ ...row, description: "Dividend", type: "dividend" }));
    transactions.splice(how === "insert" ? 0 : transactions.length, 0, record);
  }

  /** What is true of a link: its rows and securities as they are served. */
  truth(linkId: string): { transactions: unknown[]; securities: unknown[] } {
    const holdings = this.#of(linkId);
    return {
      transactions: holdings.transactions.map(({ text }) => JSON.parse(text)),
      securities: [...holdings.securities.values()].map((text) => JSON.parse(text)),
    };
  }

  #of(linkId: string): Holdings {
    this.world.link(linkId);
    const holdings = this.#holdings.get(linkId) ?? { transactions: [], securities: new Map() };
    this.#holdings.set(linkId, holdings);
    return holdings;
  }
}

function recordOf(text: string): InvestmentRecord {
  const row = jsonObjectOf(text) ?? {};
  return {
    id: String(row.investment_transaction_id),
    account_id: String(row.account_id),
    date: String(row.date),
    security_id: typeof row.security_id === "string" ? row.security_id : undefined,
    text,
  };
}

function security(linkId: string, index: number) {
  return {
    security_id: `sec_${linkId}_${index}`,
    name: `Example Fund ${index}`,
    currency: "USD",
    type: index % 2 === 0 ? "etf" : "equity",
    ...(index % 3 === 0 ? {} : { ticker: `EXF${index}`, isin: `US000000000${index}` }),
    ...(index % 4 === 0 ? { close_date: null, close_price: null } : { close_price: "12.3400" }),
  };
}

/**
 * The contract says strings, its samples show numbers
 * (docs/reference/service.md, "Investment transactions"): both come.
 */
function amounts(random: Random): Record<string, unknown> {
  const cents = 100 + random.int(1_000_000);
  const number = random.chance(0.5);
  const amount = number ? cents / 100 : (cents / 100).toFixed(2);
  return {
    amount,
    datetime: random.chance(0.5) ? null : "2026-11-01T14:30:00-05:00",
    description: random.pick(["Buy", "Sell", "Dividend"]),
    type: random.pick(["buy", "sell", "dividend"]),
    fees: number ? 0.5 : "0.50",
    ...(random.chance(0.3) ? { forex_rate: "1.0000" } : {}),
    price: number ? 12.34 : "12.34",
    quantity: number ? 3 : "3.0000000001",
  };
}
