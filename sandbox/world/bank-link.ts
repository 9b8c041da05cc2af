import { type GeneratedRows, LinkLog, type LogEvent } from "./link-log.js";

/** A bank account; `text` is the JSON served for it. */
interface BankAccount {
  readonly id: string;
  readonly text: string;
}

/** A bank link with its accounts and its log; `text` is the JSON served for it. */
export class BankLink {
  readonly id: string;
  readonly fpId: string;
  text: string;
  readonly log: LinkLog;
  readonly accounts: BankAccount[] = [];
  /** Grows when every cursor given out so far stops being good. */
  cursorEpoch = 0;
  /** Grows when the log changes under a reader who is in the middle of an update. */
  updateEpoch = 0;
  #snapshot: { length: number; rows: LogEvent[] } | undefined;
  #created = 0;

  constructor(id: string, fpId: string, text: string, base?: GeneratedRows) {
    this.id = id;
    this.fpId = fpId;
    this.text = text;
    this.log = new LinkLog(base);
  }

  /** An id for a new transaction of this link, never used before. */
  newTransactionId(): string {
    let id: string;
    do id = `txn_${this.id}_n${(this.#created++).toString(36).padStart(6, "0")}`;
    while (this.log.live(id));
    return id;
  }

  /** The history up to a length of the log as one `created` row for each transaction then there. */
  compacted(length: number): readonly LogEvent[] {
    if (this.#snapshot?.length !== length) {
      const rows = new Map<string, LogEvent>();
      for (const event of this.log.events(0, length)) {
        if (event.change === "removed") rows.delete(event.id);
        else rows.set(event.id, { ...event, change: "created" });
      }
      this.#snapshot = { length, rows: [...rows.values()] };
    }
    return this.#snapshot.rows;
  }
}
