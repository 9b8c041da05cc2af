import { jsonObjectOf } from "../../src/domain/json/value.js";
import { type GeneratedRows, LinkLog, type LogEvent } from "./link-log.js";
import type { Random } from "./random.js";

/** A bank account; `text` is the JSON served for it. */
interface BankAccount {
  readonly id: string;
  readonly text: string;
}

/** The caller's own id of an imported account: that of its record, or one made of the service's. */
export function originalIdOf({ id, text }: BankAccount): string {
  const given = jsonObjectOf(text)?.original_id;
  return typeof given === "string" ? given : `own_${id}`;
}

/** A bank link with its accounts and its log; `text` is the JSON served for it. */
export class BankLink {
  readonly log: LinkLog;
  readonly accounts: BankAccount[] = [];
  /** Rows that lists of transactions leave out, although the log has them. */
  readonly unlisted = new Set<string>();
  /** Rows, as JSON, that only lists of transactions show. */
  readonly onlyListed: string[] = [];
  /** Grows when every cursor given out so far stops being good. */
  cursorEpoch = 0;
  /** Grows when the log changes under a reader who is in the middle of an update. */
  updateEpoch = 0;
  #snapshot: { length: number; withdrawn: number; rows: LogEvent[] } | undefined;
  #created = 0;

  constructor(
    readonly id: string,
    readonly fpId: string,
    public text: string,
    base?: GeneratedRows,
  ) {
    this.log = new LinkLog(base);
  }

  /** The rows as lists of transactions show them, as JSON. */
  *listedRows(): Generator<string> {
    for (const { id, text } of this.log.liveRows()) if (!this.unlisted.has(id)) yield text;
    yield* this.onlyListed;
  }

  /** An id for a new transaction of this link, never used before. */
  newTransactionId(): string {
    let id: string;
    do id = `txn_${this.id}_n${(this.#created++).toString(36).padStart(6, "0")}`;
    while (this.log.live(id));
    return id;
  }

  /** The id of one of its accounts; of its first one to be where it has none. */
  accountFor(random: Random): string {
    return this.accounts.length > 0 ? random.pick(this.accounts).id : `acc_${this.id}_1`;
  }

  write(change: "created" | "updated", id: string, row: object): void {
    this.log.append({ change, id, text: JSON.stringify(row) });
  }

  drop(id: string): void {
    this.log.append({ change: "removed", id, text: JSON.stringify(id) });
  }

  /** The history up to a length of the log as one `created` row for each transaction then there. */
  compacted(length: number): readonly LogEvent[] {
    const { withdrawn } = this.log;
    if (this.#snapshot?.length !== length || this.#snapshot.withdrawn !== withdrawn) {
      const rows = new Map<string, LogEvent>();
      for (let position = 0; position < length; position++) {
        if (this.log.isWithdrawn(position)) continue;
        const event = this.log.at(position);
        if (event.change === "removed") rows.delete(event.id);
        else rows.set(event.id, { ...event, change: "created" });
      }
      this.#snapshot = { length, withdrawn, rows: [...rows.values()] };
    }
    return this.#snapshot.rows;
  }
}
