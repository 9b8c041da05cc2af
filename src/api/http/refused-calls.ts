import type { QueuedCall } from "./call-queue.js";
import { AuthError, RejectedError } from "./errors.js";

/** Subjects refused in a row after which a good key counts as one that may not make the call. */
const MOST_SUBJECTS = 3;

/** How long a good answer about the key holds; a run stops by a fresh one only. */
const GOOD_FOR_MS = 60_000;
const JUST_NOW_MS = 1_000;

/** Whether a status, with JSON, is the service's judgement of the request and not of the key. */
export function judgesRequest(status: number): boolean {
  return status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status);
}

/** Finds out whose a 401 or 403 is: the key's, which stops the run, or its subject's (docs/inside/rules.md, "Refused calls"). */
export class RefusedCalls {
  /** Whether the service refuses the key, while that is being asked. */
  #question: Promise<boolean> | undefined;
  /** Of the last good answer, by the monotonic clock. */
  #goodAt = Number.NEGATIVE_INFINITY;
  /** By run and operation: the subjects that were refused since its last success. */
  readonly #subjects = new Map<string, Set<string>>();
  readonly #stopped = new Set<string>();

  /**
   * @param isKeyRefused makes a call that any key may make
   * @param stop lets no further call of a run start
   */
  constructor(
    private readonly isKeyRefused: () => Promise<boolean>,
    private readonly stop: (run: string) => void,
  ) {}

  /** Waits while the key is checked: the answer may stop the run. */
  async isAsked(run: string | undefined): Promise<void> {
    if (run !== undefined) await this.#question;
  }

  /**
   * Makes a call. @param call without its run, where a refusal says nothing about that run's key
   * @throws AuthError where its run stops; RejectedError where the service refuses its subject alone.
   */
  async judged<R>(call: QueuedCall, send: () => Promise<R>): Promise<R> {
    const { run, operation, subject, mayBeRefused } = call;
    if (run === undefined) return send();
    const key = `${run} ${operation}`;
    try {
      const reply = await send();
      this.#subjects.delete(key);
      return reply;
    } catch (error) {
      if (!(error instanceof AuthError) || !error.sent || this.#stopped.has(run)) throw error;
      let isKeyRefused = await this.#isRefused(GOOD_FOR_MS);
      if (!isKeyRefused && mayBeRefused) throw new RejectedError(error);
      const subjects = (this.#subjects.get(key) ?? new Set()).add(subject);
      this.#subjects.set(key, subjects);
      if (!isKeyRefused && subjects.size < MOST_SUBJECTS) throw new RejectedError(error);
      isKeyRefused ||= await this.#isRefused(JUST_NOW_MS);
      this.#stopped.add(run);
      this.#subjects.delete(key);
      this.stop(run);
      if (isKeyRefused) throw error;
      const { status, sent, serviceMessage } = error;
      throw new AuthError({ operation, status, sent, serviceMessage, credential: "permission" });
    }
  }

  /** Calls share one question. Without an answer the key counts as good. */
  async #isRefused(goodForMs: number): Promise<boolean> {
    if (performance.now() - this.#goodAt < goodForMs) return false;
    this.#question ??= this.isKeyRefused()
      .then((isRefused) => {
        if (!isRefused) this.#goodAt = performance.now();
        return isRefused;
      })
      .catch(() => false)
      .finally(() => {
        this.#question = undefined;
      });
    return this.#question;
  }
}
