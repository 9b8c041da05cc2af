import type { Random } from "./random.js";

export type ChangeType = "created" | "updated" | "removed";

/** One event of a link's log. `text` is the element of the response's list, byte for byte. */
export interface LogEvent {
  readonly change: ChangeType;
  readonly id: string;
  readonly text: string;
}

/** A row that is there now, with the position of the event that last wrote it. */
export interface LiveRow {
  readonly id: string;
  readonly text: string;
  readonly position: number;
}

/** A history of `created` events that is made when it is asked for, so that millions of rows cost no memory. */
export interface GeneratedRows {
  readonly count: number;
  id(index: number): string;
  text(index: number): string;
  indexOf(id: string): number | undefined;
  /** The index of the first row dated within so many days of the last, where dates ascend. */
  firstWithin?(days: number): number;
  /** The rows of [from, to) joined with commas. */
  join(from: number, to: number): Buffer;
}

/** The contents of a page's three lists, each joined with commas. */
export interface PageLists {
  readonly created: Buffer;
  readonly updated: Buffer;
  readonly removed: Buffer;
}

const RANKS: Readonly<Record<ChangeType, number>> = { created: 0, updated: 1, removed: 2 };

/** A link's append-only log of events and, derived from it, the rows that are there now. */
export class LinkLog {
  readonly #events: LogEvent[] = [];
  /** Rows that an appended event touched: their present text, or `null` once removed. */
  readonly #touched = new Map<string, { text: string; position: number } | null>();
  readonly #liveIds: string[] = [];
  readonly #liveIndex = new Map<string, number>();
  readonly #removedIds: string[] = [];
  /** Events of rows that a refresh took back: no page has them any more. */
  readonly #withdrawn = new Set<number>();
  #baseGone = 0;

  constructor(readonly base?: GeneratedRows) {}

  get length(): number {
    return (this.base?.count ?? 0) + this.#events.length;
  }

  get liveCount(): number {
    return (this.base?.count ?? 0) - this.#baseGone + this.#liveIds.length;
  }

  /** Ids that were removed at least once; one of them may be there again. */
  get removedIds(): readonly string[] {
    return this.#removedIds;
  }

  append(event: LogEvent): void {
    const position = this.length;
    this.#events.push(event);
    if (!this.#touched.has(event.id) && this.base?.indexOf(event.id) !== undefined) this.#baseGone++;
    if (event.change === "removed") {
      this.#touched.set(event.id, null);
      this.#dropLive(event.id);
      this.#removedIds.push(event.id);
      return;
    }
    this.#touched.set(event.id, { text: event.text, position });
    if (!this.#liveIndex.has(event.id)) {
      this.#liveIndex.set(event.id, this.#liveIds.length);
      this.#liveIds.push(event.id);
    }
  }

  /** Replaces the history by the rows that are there, each as `created`. */
  compact(): void {
    const rows = [...this.liveRows()];
    for (const part of [this.#events, this.#liveIds, this.#removedIds]) part.length = 0;
    this.#touched.clear();
    this.#liveIndex.clear();
    for (const { id, text } of rows) this.append({ change: "created", id, text });
  }

  /** Takes a row back without an event: nobody who reads on hears of it, and nobody who begins sees it. */
  withdraw(id: string): void {
    const row = this.#touched.get(id);
    if (!row) return;
    this.#withdrawn.add(row.position);
    this.#touched.set(id, null);
    this.#dropLive(id);
  }

  /** How many events are served no more. */
  get withdrawn(): number {
    return this.#withdrawn.size;
  }

  isWithdrawn(position: number): boolean {
    return this.#withdrawn.has(position);
  }

  at(position: number): LogEvent {
    const base = this.base;
    const baseCount = base?.count ?? 0;
    if (base && position < baseCount) {
      return { change: "created", id: base.id(position), text: base.text(position) };
    }
    const event = this.#events[position - baseCount];
    if (!event) throw new RangeError(`no event at ${position}: the log has ${this.length}`);
    return event;
  }

  *events(from = 0, to = this.length): Generator<LogEvent> {
    for (let position = from; position < to; position++) yield this.at(position);
  }

  /**
   * Where a page that begins at `from` ends. It ends early before an event that grouping would put before an
   * earlier one of the same transaction: readers apply created, updated, removed in this order.
   */
  pageEnd(from: number, size: number): number {
    const baseCount = this.base?.count ?? 0;
    const end = Math.min(from + size, this.length);
    const ranks = new Map<string, number>();
    for (let position = Math.max(from, baseCount); position < end; position++) {
      const { id, change } = this.#events[position - baseCount]!;
      const rank = RANKS[change];
      if (rank < (ranks.get(id) ?? 0)) return position;
      ranks.set(id, rank);
    }
    return end;
  }

  /** The page of [from, to), grouped as the service groups it. */
  lists(from: number, to: number): PageLists {
    const baseCount = this.base?.count ?? 0;
    const texts: Record<ChangeType, string[]> = { created: [], updated: [], removed: [] };
    for (let position = Math.max(from, baseCount); position < to; position++) {
      if (this.#withdrawn.has(position)) continue;
      const event = this.#events[position - baseCount]!;
      texts[event.change].push(event.text);
    }
    const appended = Buffer.from(texts.created.join(","));
    let created: Buffer = appended;
    if (this.base && from < baseCount) {
      const generated = this.base.join(from, Math.min(to, baseCount));
      created = appended.length ? Buffer.concat([generated, Buffer.from(","), appended]) : generated;
    }
    return {
      created,
      updated: Buffer.from(texts.updated.join(",")),
      removed: Buffer.from(texts.removed.join(",")),
    };
  }

  live(id: string): LiveRow | undefined {
    const touched = this.#touched.get(id);
    if (touched) return { id, ...touched };
    const index = touched === null ? undefined : this.base?.indexOf(id);
    return index === undefined ? undefined : { id, text: this.base!.text(index), position: index };
  }

  /** Every row that is there now, in the order in which rows first came. */
  *liveRows(): Generator<LiveRow> {
    for (let index = 0; index < (this.base?.count ?? 0); index++) {
      const id = this.base!.id(index);
      if (!this.#touched.has(id)) yield { id, text: this.base!.text(index), position: index };
    }
    yield* this.appendedLiveRows();
  }

  /** The present rows that an appended event wrote. */
  *appendedLiveRows(): Generator<LiveRow> {
    for (const [id, row] of this.#touched) if (row) yield { id, ...row };
  }

  /** A row that is there now, out of those appended or of the base's rows from `baseFrom` on. */
  pickLive(random: Random, baseFrom = 0): LiveRow | undefined {
    const baseSpan = (this.base?.count ?? 0) - baseFrom;
    for (let attempt = 0; attempt < 50 && baseSpan + this.#liveIds.length > 0; attempt++) {
      const choice = random.int(baseSpan + this.#liveIds.length);
      const id = choice < baseSpan ? this.base!.id(baseFrom + choice) : this.#liveIds[choice - baseSpan]!;
      const row = this.live(id);
      if (row) return row;
    }
    return undefined;
  }

  #dropLive(id: string): void {
    const index = this.#liveIndex.get(id);
    if (index === undefined) return;
    const last = this.#liveIds.pop()!;
    this.#liveIndex.delete(id);
    if (last === id) return;
    this.#liveIds[index] = last;
    this.#liveIndex.set(last, index);
  }
}
