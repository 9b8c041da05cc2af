import { REFUSALS, type Refusal } from "../domain/webhooks/rejection.js";
import type { Logger } from "../logger.js";

/** What a receiver has done since it started. */
export interface ReceiverCounts {
  /** Events that were answered with 2xx. */
  readonly taken: number;
  /** Of these: they waited in the staging area already. */
  readonly repeated: number;
  /** Of these: a customer's workflow waited for them. */
  readonly matched: number;
  /** Of these: of a kind that the document does not name. */
  readonly unknown: number;
  /** Sessions that were validated. */
  readonly validated: number;
  /** Requests that were not taken, by the reason. */
  readonly refused: Readonly<Record<Refusal, number>>;
}

const SAY_EVERY_MS = 60_000;
const COMPLAIN_EVERY_MS = 10_000;

/** Counts what comes in; says it in the log once a minute while something does, and at the end. */
export class CountBook {
  #counts: ReceiverCounts;
  #said = "";
  #complained = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly log: Logger) {
    const none = Object.keys(REFUSALS).map((name) => [name, 0]);
    const refused = Object.fromEntries(none) as Record<Refusal, number>;
    this.#counts = { taken: 0, repeated: 0, matched: 0, unknown: 0, validated: 0, refused };
    this.#said = JSON.stringify(this.#counts);
    this.#timer = setInterval(() => this.#say(), SAY_EVERY_MS).unref();
  }

  get counts(): ReceiverCounts {
    return this.#counts;
  }

  countTaken(what: Readonly<Record<"repeated" | "matched" | "unknown", boolean>>): void {
    const { taken, repeated, matched, unknown } = this.#counts;
    this.#counts = {
      ...this.#counts,
      taken: taken + 1,
      repeated: repeated + Number(what.repeated),
      matched: matched + Number(what.matched),
      unknown: unknown + Number(what.unknown),
    };
  }

  countValidated(): void {
    this.#counts = { ...this.#counts, validated: this.#counts.validated + 1 };
  }

  countRefused(refusal: Refusal): void {
    const { refused } = this.#counts;
    this.#counts = { ...this.#counts, refused: { ...refused, [refusal]: refused[refusal] + 1 } };
  }

  /** Says why requests are put off; not once for each of them. */
  complain(error: unknown): void {
    if (Date.now() - this.#complained < COMPLAIN_EVERY_MS) return;
    this.#complained = Date.now();
    this.log.warn(
      { err: error },
      "a request could not be taken and was answered with 503: it is to be sent again",
    );
  }

  close(): void {
    clearInterval(this.#timer);
    this.#say();
  }

  #say(): void {
    const text = JSON.stringify(this.#counts);
    if (text === this.#said) return;
    this.#said = text;
    this.log.info(this.#counts, "webhooks since the receiver started");
  }
}
