import type { RefusedRequest } from "../refusals.js";

/** What became of a row, or of all rows of one request. An unknown one must not be sent again by itself. */
export interface RequestEnd {
  readonly status: "accepted" | "refused" | "unknown";
  /** Null where it was accepted. */
  readonly reason: string | null;
  readonly refused?: RefusedRequest | undefined;
}

type Send<Row> = (rows: readonly Row[]) => Promise<RequestEnd>;

/** Bad rows that are searched for one by one; a chunk with more is split in two again and again. */
const MOST_SEARCHED = 3;

/**
 * Sends rows in one request. If the service refuses them, finds the bad rows by bisection and sends the others: one bad row
 * costs at most log₂ of the rows and one request more. Refused is a row that was so alone, or without which all others were
 * accepted. Gives what became of each row.
 */
export async function sendByHalves<Row>(rows: readonly Row[], send: Send<Row>): Promise<RequestEnd[]> {
  const chunk = new Chunk(rows, send);
  for (let searched = 0; searched < MOST_SEARCHED && chunk.open.length > 0; searched += 1) {
    const answer = await chunk.ask(chunk.open);
    if (answer.status === "accepted") return chunk.ends;
    await chunk.proveSuspect();
    if (answer.status === "refused") await chunk.search(answer);
  }
  await chunk.split(chunk.open);
  await chunk.proveSuspect();
  return chunk.ends;
}

/** Rows on their way, by their indexes. */
class Chunk<Row> {
  readonly #ends = new Map<number, RequestEnd>();
  /** A row that must be bad because the others are not; it was not sent alone. */
  #suspect: number | undefined;

  constructor(
    private readonly rows: readonly Row[],
    private readonly send: Send<Row>,
  ) {}

  get ends(): RequestEnd[] {
    return this.rows.map((_, index) => this.#ends.get(index) ?? { status: "refused", reason: "not sent" });
  }

  get open(): number[] {
    return [...this.rows.keys()].filter((index) => !this.#ends.has(index));
  }

  /** Sends some rows; those of a refused request stay open, unless it was a single one. */
  async ask(indexes: readonly number[]): Promise<RequestEnd> {
    const answer = await this.send(indexes.map((index) => this.rows[index] as Row));
    if (answer.status !== "refused" || indexes.length === 1) this.#end(indexes, answer);
    return answer;
  }

  /** Finds one bad row among the open ones, which were refused together. */
  async search(refused: RequestEnd): Promise<void> {
    let suspects = this.open;
    let answer = refused;
    while (suspects.length > 1) {
      const half = suspects.slice(0, suspects.length >> 1);
      const said = await this.ask(half);
      // The bad row may be among these.
      if (said.status === "unknown") return;
      if (said.status === "refused") answer = said;
      suspects = said.status === "refused" ? half : suspects.slice(half.length);
    }
    const [suspect] = suspects;
    if (suspect === undefined || this.#ends.has(suspect)) return;
    this.#end(suspects, answer);
    this.#suspect = suspect;
  }

  /** Sends the suspect alone: the service may have refused the others for another reason, such as their number. */
  async proveSuspect(): Promise<void> {
    const suspect = this.#suspect;
    this.#suspect = undefined;
    if (suspect !== undefined) await this.ask([suspect]);
  }

  /** Sends rows, those of a refused request in two parts. */
  async split(indexes: readonly number[]): Promise<void> {
    if (indexes.length === 0) return;
    const answer = await this.ask(indexes);
    if (answer.status !== "refused" || indexes.length === 1) return;
    const half = indexes.length >> 1;
    await this.split(indexes.slice(0, half));
    await this.split(indexes.slice(half));
  }

  #end(indexes: readonly number[], end: RequestEnd): void {
    for (const index of indexes) this.#ends.set(index, end);
  }
}
