import { jsonObjectOf } from "../../src/domain/json/value.js";
import type { BankLink } from "./bank-link.js";
import { addDays } from "./days.js";
import type { LiveRow } from "./link-log.js";
import { Random } from "./random.js";
import type { TransactionRow } from "./records.js";
import type { World } from "./world.js";

/** How far time goes, and what happens on each link each day (how many of each kind). */
export interface AdvanceOptions {
  days?: number;
  seed?: number;
  /** Only these links; default: all that are `connected`. */
  links?: readonly string[];
  created?: number;
  /** New rows that stay pending. */
  pending?: number;
  updated?: number;
  removed?: number;
  /** Pending rows that are removed and come back posted under another id. */
  posted?: number;
  /** Pending rows that are posted under the id they have. */
  postedInPlace?: number;
  /** Pending rows that go for good; default 0. */
  lapsed?: number;
  /** New rows dated weeks ago. */
  backDated?: number;
  /** Rows removed once that come back under their id. */
  recreated?: number;
}

/** How many events were appended. */
export interface AdvanceReport {
  today: string;
  created: number;
  updated: number;
  removed: number;
}

/** Makes a new row; the population's own maker keeps its flavour. */
export type RowMaker = (random: Random, id: string, accountId: string, date: string) => TransactionRow;

/** Lets days pass: the world's date moves and events are appended to its links. */
export function advance(world: World, makeRow: RowMaker, options: AdvanceOptions = {}): AdvanceReport {
  const { days = 1, seed = 1 } = options;
  const report: AdvanceReport = { today: world.today, created: 0, updated: 0, removed: 0 };
  const links = options.links?.map((id) => world.link(id)) ?? [...world.links.values()].filter(isConnected);
  for (let day = 0; day < days; day++) {
    world.today = addDays(world.today, 1);
    for (const link of links) {
      const random = new Random(`${seed}/${world.today}/${link.id}`);
      new LinkDay(world, link, random, makeRow, report).pass(options);
    }
  }
  report.today = world.today;
  return report;
}

/** Whether the bank still gives data of a link. */
export function isConnected(link: BankLink): boolean {
  return jsonObjectOf(link.text)?.state === "connected";
}

/** One day of one link. */
class LinkDay {
  constructor(
    private readonly world: World,
    private readonly link: BankLink,
    private readonly random: Random,
    private readonly makeRow: RowMaker,
    private readonly report: AdvanceReport,
  ) {}

  pass(options: AdvanceOptions): void {
    const { created = 4, pending = 2, updated = 2, removed = 1 } = options;
    const { posted = 1, postedInPlace = 1, lapsed = 0, backDated = 1, recreated = 1 } = options;
    const { today, refreshTime } = this.world;
    const waiting = this.#pendingRows();
    for (const { transaction_id } of refreshTime ? waiting : []) this.link.log.withdraw(transaction_id);
    repeat(posted, () => this.#post(waiting.shift()));
    repeat(postedInPlace, () => this.#postInPlace(waiting.shift()));
    for (const { transaction_id } of waiting.splice(0, lapsed)) if (!refreshTime) this.#drop(transaction_id);
    if (refreshTime) this.#refresh(waiting, refreshTime());
    repeat(created, () => this.#create(today, false));
    repeat(pending, () => this.#create(today, true));
    repeat(backDated, () => this.#create(addDays(today, -20 - this.random.int(40)), false));
    repeat(updated, () => this.#update());
    repeat(removed, () => this.#remove());
    repeat(recreated, () => this.#recreate());
  }

  #create(date: string, pending: boolean, id = this.link.newTransactionId()): void {
    const row = this.makeRow(this.random, id, this.link.accountFor(this.random), date);
    this.#write("created", { ...row, pending });
  }

  /** Of the pending rows that are still pending some come again under their ids and some under others. */
  #refresh(waiting: readonly TransactionRow[], at: string): void {
    for (const row of waiting) {
      const transaction_id = this.random.chance(0.5) ? row.transaction_id : this.link.newTransactionId();
      this.#write("created", { ...row, transaction_id });
    }
    const record = jsonObjectOf(this.link.text) ?? {};
    const products = {
      ...(record.products as object),
      transactions: { last_attempted_at: at, refreshed_at: at },
    };
    this.link.text = JSON.stringify({ ...record, products });
  }

  #update(): void {
    const live = this.link.log.pickLive(this.random);
    const row = live && this.#isChangeable(live) ? readable(live) : undefined;
    if (row) this.#write("updated", { ...row, description: `seen again on ${this.world.today}` });
  }

  #remove(): void {
    const row = this.link.log.pickLive(this.random);
    if (row && this.#isChangeable(row)) this.#drop(row.id);
  }

  /** A row that the bank may correct: where pending rows are replaced, no other event is about one. */
  #isChangeable(row: LiveRow): boolean {
    return this.world.refreshTime === undefined || readable(row)?.pending !== true;
  }

  #recreate(): void {
    const gone = this.link.log.removedIds.filter((id) => !this.link.log.live(id));
    if (gone.length > 0) this.#create(this.world.today, false, this.random.pick(gone));
  }

  #post(row: TransactionRow | undefined): void {
    if (!row) return;
    if (!this.world.refreshTime) this.#drop(row.transaction_id);
    const transaction_id = this.link.newTransactionId();
    this.#write("created", { ...row, transaction_id, pending: false, date: this.world.today });
  }

  #postInPlace(row: TransactionRow | undefined): void {
    const change = this.world.refreshTime ? "created" : "updated";
    if (row) this.#write(change, { ...row, pending: false, date: this.world.today });
  }

  /** The newest first: banks post within days, and a row of weeks ago would not pass for what was posted. */
  #pendingRows(): TransactionRow[] {
    // A generated history has no pending rows, and a walk over millions of rows would take the night.
    const rows = this.link.log.base ? this.link.log.appendedLiveRows() : this.link.log.liveRows();
    const pending = [...rows].map(readable).filter((row) => row?.pending === true) as TransactionRow[];
    return pending.sort((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : 0));
  }

  #write(change: "created" | "updated", row: TransactionRow): void {
    this.link.write(change, row.transaction_id, row);
    this.report[change]++;
  }

  #drop(id: string): void {
    this.link.drop(id);
    this.report.removed++;
  }
}

function repeat(times: number, action: () => void): void {
  for (let i = 0; i < times; i++) action();
}

/** A row that can be written again with changed fields; scripted rows may not be one. */
function readable(row: LiveRow | undefined): TransactionRow | undefined {
  const values = row && jsonObjectOf(row.text);
  return values?.transaction_id === row?.id ? (values as TransactionRow | undefined) : undefined;
}
