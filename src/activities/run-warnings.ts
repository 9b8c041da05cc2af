import { afterTransient, type FailureStreak, givesUpAt, type TransientOutcome } from "../domain/backoff.js";
import type { Logger } from "../logger.js";

const MOST_REMEMBERED = 10_000;

type OwnerIds = Readonly<Record<string, string | number>>;

type LoggedOutcome =
  | TransientOutcome
  | { readonly kind: "rejected"; readonly status: number }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "open" | "complete" | "gone" | "unauthorized" | "broken" | "torn" | "moved" };

/** Logs what goes wrong in runs, each thing once. */
export class RunWarnings {
  readonly #logged = new Map<string, string>();

  constructor(private readonly log: Logger) {}

  /** @param fields counts, never values */
  once(runId: string, kind: string, fields: Readonly<Record<string, unknown>>, message: string): void {
    if (this.#isNew(`${runId} ${kind}`, "")) this.log.warn({ run_id: runId, ...fields }, message);
  }

  /** Logs an owner's first failure, each change of the reason, and that it continues. @param streak of before */
  logOutcome(
    runId: string,
    ids: OwnerIds,
    outcome: LoggedOutcome,
    streak: FailureStreak | null,
    at = Date.now(),
  ): void {
    const key = `${runId} ${Object.values(ids).join(" ")}`;
    const fields = { run_id: runId, ...ids };
    switch (outcome.kind) {
      case "transient": {
        // Says the latest possible time, because the workflow draws the jitter.
        const verdict = afterTransient(streak, at, outcome, 1);
        if (typeof verdict === "string" || !this.#isNew(key, outcome.reason)) return;
        const { streak: now, notBefore } = verdict;
        const times = {
          tried_again_by: instant(notBefore),
          gives_up_at: instant(givesUpAt(now, notBefore)),
        };
        this.log.warn(
          { ...fields, reason: outcome.reason, failures: now.count, ...times },
          "waiting for its next retry",
        );
        return;
      }
      case "rejected":
        if (!this.#isNew(key, `http_${outcome.status}`)) return;
        this.log.warn({ ...fields, status: outcome.status }, "the service refused its request");
        return;
      case "failed":
        this.log.warn({ ...fields, reason: outcome.reason }, "failed");
        return;
      case "unauthorized":
        if (this.#isNew(`${runId} unauthorized`, "")) {
          this.log.error(fields, "the service refused the credentials; the run stops");
        }
        return;
      case "open":
      case "complete":
        if (streak === null && this.#logged.delete(key)) this.log.info(fields, "continues after failures");
    }
  }

  failed(ids: OwnerIds, error: Error, facts: Readonly<Record<string, unknown>>): void {
    const key = Object.values(ids).join(" ");
    // Another file name is not another reason.
    if (this.#isNew(key, error.message.replaceAll(/\/\S+/g, "/…")))
      this.log.warn({ ...ids, ...facts }, `a step failed: ${error.message}`);
  }

  #isNew(key: string, value: string): boolean {
    if (this.#logged.get(key) === value) return false;
    if (this.#logged.size >= MOST_REMEMBERED) this.#logged.clear();
    this.#logged.set(key, value);
    return true;
  }
}

function instant(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
