import type { Logger } from "../logger.js";

const MOST_REMEMBERED = 1_000;

/** Warnings about what a service sends, once a run and worker: one a row would drown the log. */
export class RunWarnings {
  readonly #said = new Set<string>();

  constructor(private readonly log: Logger) {}

  /** Logs a warning the first time that `kind` comes up in a run; `fields` hold counts, never values. */
  once(runId: string, kind: string, fields: Readonly<Record<string, unknown>>, message: string): void {
    const key = `${runId} ${kind}`;
    if (this.#said.has(key)) return;
    if (this.#said.size >= MOST_REMEMBERED) this.#said.clear();
    this.#said.add(key);
    this.log.warn({ run_id: runId, ...fields }, message);
  }
}
