import type { Link, LinkProgress } from "../../../src/domain/sync/link.js";
import { type Place, placeKey, sliceOf } from "../../../src/domain/sync/place.js";
import type { ReportRef } from "../../../src/domain/sync/run/slice-work.js";

export interface ModelledReport {
  readonly users: number[];
  readonly observed: Place[];
  readonly ended: string[];
  readonly finished: Link[];
  readonly waiting: Place[];
}

/** Journals of a modelled run: only the places of their records, and which folders were dropped. */
export class ModelledStaging {
  readonly dropped = new Set<string>();
  readonly #reports = new Map<string, ModelledReport>();
  #at = 0;

  place(folder: string): Place {
    this.#at += 1;
    return { journal: `${folder}/x`, at: this.#at, bytes: 1, sha256: "s" };
  }

  /** @throws where one of the records was dropped */
  need(...places: readonly (Place | null)[]): void {
    for (const place of places) {
      const folder = place?.journal.split("/")[0] ?? "";
      if (this.dropped.has(folder)) throw new Error(`folder ${folder} was dropped, and is needed`);
    }
  }

  /** What a slice tells of its report; null where it is empty. */
  add(place: Place, report: ModelledReport): ReportRef | null {
    const { observed, ended, finished, waiting } = report;
    if ([observed, ended, finished, waiting].every(({ length }) => length === 0)) return null;
    this.#reports.set(placeKey(place), report);
    const sum = (of: (progress: LinkProgress) => number) =>
      finished.reduce((total, { progress }) => total + of(progress), 0);
    return {
      place,
      slices: [...new Set([...observed, ...finished.map(({ link }) => link)].map(sliceOf))],
      ended: ended.length,
      finished: {
        links: finished.length,
        pages: sum(({ pages }) => pages),
        entries: sum(({ entries }) => entries),
        bytes: sum(({ bytes }) => bytes),
      },
      waiting: waiting.length,
      observedBytes: 0,
    };
  }

  report(place: Place): ModelledReport {
    this.need(place);
    const report = this.#reports.get(placeKey(place));
    if (report === undefined) throw new Error("no such report");
    return report;
  }
}
