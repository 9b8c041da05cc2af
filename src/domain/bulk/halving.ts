import type { RefusedRequest } from "../refusals.js";

/** An unknown end must not be sent again by itself. */
export interface RequestEnd {
  readonly status: "accepted" | "refused" | "unknown";
  /** Null where it was accepted. */
  readonly reason: string | null;
  readonly refused?: RefusedRequest | undefined;
}

export interface RequestAnswer extends RequestEnd {
  /** By index: rows that a refused request took, or may have taken. */
  readonly ended?: ReadonlyMap<number, RequestEnd>;
}

/** `looks`: whether to look up a refused request's rows. */
type Send<Row> = (rows: readonly Row[], looks: boolean) => Promise<RequestAnswer>;

/** A chunk with more bad rows is split in two again and again. */
const MOST_SEARCHED = 3;

/**
 * Sends rows in one request. If it is refused, finds the bad rows by bisection and sends the others: a bad row costs at
 * most log₂ of the rows and one request more. A row is refused alone, or where all others were accepted without it.
 * A service may take a part of a request and refuse it, so each refused request for all open rows is looked up, four
 * times at most, and every one after the first that brought something.
 */
export async function sendByHalves<Row>(rows: readonly Row[], send: Send<Row>): Promise<RequestEnd[]> {
  const chunk = new Chunk(rows, send);
  for (let searched = 0; searched < MOST_SEARCHED && chunk.open.length > 0; searched += 1) {
    const answer = await chunk.ask(chunk.open, true);
    if (answer.status === "accepted") return chunk.ends;
    await chunk.proveSuspect();
    if (answer.status === "refused") await chunk.search(answer);
  }
  await chunk.split(chunk.open, true);
  await chunk.proveSuspect();
  return chunk.ends;
}

/** By their indexes. */
class Chunk<Row> {
  readonly #ends = new Map<number, RequestEnd>();
  /** It must be bad because the others are not; it was not sent alone. */
  #suspect: number | undefined;
  /** A refused request has brought rows. */
  #isPartial = false;

  constructor(
    private readonly rows: readonly Row[],
    private readonly send: Send<Row>,
  ) {}

  get ends(): RequestEnd[] {
    return this.rows.map((_, index) => this.#ends.get(index) ?? { status: "refused", reason: "not sent" });
  }

  get open(): number[] {
    return this.#openOf([...this.rows.keys()]);
  }

  /** Rows that a refused request did not bring stay open, unless it was a single one. */
  async ask(indexes: readonly number[], isAll = false): Promise<RequestEnd> {
    const looks = this.#isPartial || (isAll && indexes.length > 1);
    const { ended, ...answer } = await this.send(
      indexes.map((index) => this.rows[index] as Row),
      looks,
    );
    if (ended !== undefined) {
      this.#isPartial = true;
      for (const [at, end] of ended) this.#end([indexes[at] as number], end);
    } else if (answer.status !== "refused" || indexes.length === 1) this.#end(indexes, answer);
    return answer;
  }

  /** Finds one bad row among open ones that were refused together. */
  async search(refused: RequestEnd): Promise<void> {
    let suspects = this.open;
    let answer = refused;
    while (suspects.length > 1) {
      const half = suspects.slice(0, suspects.length >> 1);
      const said = await this.ask(half);
      // The bad row may be among these.
      if (said.status === "unknown") return;
      if (said.status === "refused") answer = said;
      suspects = said.status === "refused" ? this.#openOf(half) : suspects.slice(half.length);
    }
    const [suspect] = suspects;
    if (suspect === undefined || this.#ends.has(suspect)) return;
    this.#end(suspects, answer);
    this.#suspect = suspect;
  }

  /** Sends the suspect alone: the others may have been refused for their number. */
  async proveSuspect(): Promise<void> {
    const suspect = this.#suspect;
    this.#suspect = undefined;
    if (suspect !== undefined) await this.ask([suspect]);
  }

  /** Sends rows, a refused request in two parts. */
  async split(indexes: readonly number[], isAll = false): Promise<void> {
    if (indexes.length === 0) return;
    const answer = await this.ask(indexes, isAll);
    if (answer.status !== "refused" || indexes.length === 1) return;
    const open = this.#openOf(indexes);
    const half = open.length >> 1;
    await this.split(open.slice(0, half));
    await this.split(open.slice(half));
  }

  #openOf(indexes: readonly number[]): number[] {
    return indexes.filter((index) => !this.#ends.has(index));
  }

  #end(indexes: readonly number[], end: RequestEnd): void {
    for (const index of indexes) this.#ends.set(index, end);
  }
}
