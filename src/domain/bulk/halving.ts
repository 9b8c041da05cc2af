import type { RefusedRequest } from "../refusals.js";

/** What became of the rows of one request, all of them alike. */
export type Sent =
  | { readonly kind: "taken" }
  | { readonly kind: "refused"; readonly reason: string; readonly refused?: RefusedRequest }
  /** Nothing tells whether they were taken: they must not be sent again. */
  | { readonly kind: "unknown"; readonly reason: string };

type Send<Row> = (rows: readonly Row[]) => Promise<Sent>;

/** Faults that are searched for one by one; a chunk with more is split in two again and again. */
const MOST_SEARCHED = 3;

/**
 * Sends rows in one request; where the service refuses them, finds the rows that are at fault by halves and sends the
 * others. One row at fault costs at most log₂ of the rows and one request more. A row counts as refused where it was
 * refused alone, or where every other row was taken without it.
 *
 * @returns what became of each row, by its place
 */
export async function sendByHalves<Row>(rows: readonly Row[], send: Send<Row>): Promise<Sent[]> {
  const chunk = new Chunk(rows, send);
  for (let searched = 0; searched < MOST_SEARCHED && chunk.open.length > 0; searched += 1) {
    const answer = await chunk.ask(chunk.open);
    if (answer.kind === "taken") return chunk.ends;
    await chunk.proveSuspect();
    if (answer.kind === "refused") await chunk.search(answer);
  }
  await chunk.split(chunk.open);
  await chunk.proveSuspect();
  return chunk.ends;
}

/** Rows on their way; a row is named by its place. */
class Chunk<Row> {
  readonly #ends = new Map<number, Sent>();
  /** A row that must be at fault because the others are not; it was not sent alone. */
  #suspect: number | undefined;

  constructor(
    private readonly rows: readonly Row[],
    private readonly send: Send<Row>,
  ) {}

  get ends(): Sent[] {
    return this.rows.map((_, place) => this.#ends.get(place) ?? { kind: "refused", reason: "not sent" });
  }

  /** Rows that have come to no end yet. */
  get open(): number[] {
    return [...this.rows.keys()].filter((place) => !this.#ends.has(place));
  }

  /** Sends some rows; those of a refused request stay open, unless it held one alone. */
  async ask(places: readonly number[]): Promise<Sent> {
    const answer = await this.send(places.map((place) => this.rows[place] as Row));
    if (answer.kind !== "refused" || places.length === 1) this.#end(places, answer);
    return answer;
  }

  /** Finds one row at fault among the open ones, which were refused together. */
  async search(refused: Sent): Promise<void> {
    let suspects = this.open;
    let answer = refused;
    while (suspects.length > 1) {
      const half = suspects.slice(0, suspects.length >> 1);
      const said = await this.ask(half);
      // The fault may be among these.
      if (said.kind === "unknown") return;
      if (said.kind === "refused") answer = said;
      suspects = said.kind === "refused" ? half : suspects.slice(half.length);
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
  async split(places: readonly number[]): Promise<void> {
    if (places.length === 0) return;
    const answer = await this.ask(places);
    if (answer.kind !== "refused" || places.length === 1) return;
    const half = places.length >> 1;
    await this.split(places.slice(0, half));
    await this.split(places.slice(half));
  }

  #end(places: readonly number[], end: Sent): void {
    for (const place of places) this.#ends.set(place, end);
  }
}
