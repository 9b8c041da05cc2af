import { REFUSALS, type Refusal } from "../domain/webhooks/rejection.js";
import type { Logger } from "../logger.js";

export interface ReceiverCounts {
  /** Events answered with 2xx. */
  readonly taken: number;
  /** Of these: staged already. */
  readonly repeated: number;
  /** Of these: received by a customer's workflow. */
  readonly matched: number;
  /** Of these: of a kind that the document does not name. */
  readonly unknown: number;
  readonly validated: number;
  readonly refused: Readonly<Record<Refusal, number>>;
}

const SAY_EVERY_MS = 60_000;
const COMPLAIN_EVERY_MS = 10_000;

/** Counts requests, and logs the counts at the end and once a minute while they change. */
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

  /** Logs why requests are answered with 503, at most every ten seconds. */
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
