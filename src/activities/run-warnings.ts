import type { Stream } from "../lake/sync/stream.js";
import type { Logger } from "../logger.js";
import type { PageReading } from "../streams/page-reading.js";
import type { Dependencies } from "./dependencies.js";

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

/** Warns of what a page holds that no column takes and no rule quarantines (LAKE.md, Values). */
export function warnOfOddities(
  { warnings }: Pick<Dependencies, "warnings">,
  runId: string,
  { name: stream }: Stream,
  { unknownFields, unreadableScores }: Pick<PageReading, "unknownFields" | "unreadableScores">,
): void {
  if (unknownFields > 0) {
    const message = "rows have fields without a column, which are dropped; one page had so many";
    warnings.once(runId, `fields ${stream}`, { stream, fields: unknownFields }, message);
  }
  if (unreadableScores > 0) {
    const message = "rows have confidences that are no numbers, which become null; one page had so many";
    warnings.once(runId, `scores ${stream}`, { stream, scores: unreadableScores }, message);
  }
}
