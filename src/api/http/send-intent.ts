import { Admission, type Turn } from "./call-limiter.js";

/** Of a call that must not take effect twice: what is written down before it may leave. */
export interface SendIntent {
  /**
   * Writes it down once the call's turn has come, again where it had to queue again. What it throws keeps the
   * call from being sent.
   */
  declare(): Promise<void>;
  /** Asked right before the first byte leaves; where it no longer holds the call queues again. */
  holds(): boolean;
  /**
   * Whether it may be declared while the call waits for its turn, so that others use the connection meanwhile: where
   * an intent that was never sent does no harm.
   */
  readonly early: boolean;
}

/** Lets calls declare their intent while they wait for their turn, a bounded number of them ahead. */
export class EarlyIntents {
  readonly #admission: Admission;

  /** @param most calls that have declared, those that are on their way included */
  constructor(most: number) {
    this.#admission = new Admission(most);
  }

  /** Makes a call whose intent may be declared early: declares it first. */
  async declare<R>(turn: Turn, intent: SendIntent, call: () => Promise<R>): Promise<R> {
    await this.#admission.enter(turn);
    try {
      await intent.declare();
      return await call();
    } finally {
      this.#admission.leave();
    }
  }

  /** As of the calls' own {@link Admission}. */
  closeRun(run: string): void {
    this.#admission.closeRun(run);
  }

  close(): void {
    this.#admission.close();
  }
}
