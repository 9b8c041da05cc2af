import { REFUSALS, type Refusal } from "../domain/webhooks/rejection.js";
import type { Logger } from "../logger.js";

/** Events answered with 2xx; of these, staged already, for an open row, of a kind that the document does not name. */
type EventCounts = Record<"taken" | "repeated" | "matched" | "unknown", number>;
type Counts = EventCounts & { validated: number; readonly refused: Record<Refusal, number> };
export type ReceiverCounts = Readonly<Counts>;

const LOG_EVERY_MS = 60_000;
const COMPLAIN_EVERY_MS = 10_000;

export class RequestCounts {
  readonly #counts: Counts;
  #logged: string;
  #complainedAt = 0;
  readonly #timer: NodeJS.Timeout;

  /** @param tell hears what became of each request */
  constructor(
    private readonly log: Logger,
    private readonly tell?: (result: string) => void,
  ) {
    const refused = Object.fromEntries(Object.keys(REFUSALS).map((name) => [name, 0])) as Counts["refused"];
    this.#counts = { taken: 0, repeated: 0, matched: 0, unknown: 0, validated: 0, refused };
    this.#logged = JSON.stringify(this.#counts);
    this.#timer = setInterval(() => this.#log(), LOG_EVERY_MS).unref();
  }

  get counts(): ReceiverCounts {
    return structuredClone(this.#counts);
  }

  countTaken(what: Readonly<Record<"repeated" | "matched" | "unknown", boolean>>): void {
    this.#counts.taken += 1;
    this.tell?.("taken");
    for (const name of ["repeated", "matched", "unknown"] as const) this.#counts[name] += Number(what[name]);
  }

  countValidated(): void {
    this.#counts.validated += 1;
    this.tell?.("validated");
  }

  countRefused(refusal: Refusal): void {
    this.#counts.refused[refusal] += 1;
    this.tell?.(refusal);
  }

  /** Logs why requests are answered with 503, at most every ten seconds. */
  complain(error: unknown): void {
    if (Date.now() - this.#complainedAt < COMPLAIN_EVERY_MS) return;
    this.#complainedAt = Date.now();
    this.log.warn({ err: error }, "rejected a request with 503; the sender will retry");
  }

  close(): void {
    clearInterval(this.#timer);
    this.#log();
  }

  #log(): void {
    const text = JSON.stringify(this.#counts);
    if (text === this.#logged) return;
    this.#logged = text;
    this.log.info(this.#counts, "webhooks since the receiver started");
  }
}
