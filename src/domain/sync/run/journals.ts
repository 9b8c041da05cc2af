import type { Link } from "../link.js";
import { journalFolder, type Place } from "../place.js";
import type { LinkInRun } from "./links.js";
import type { SliceWork } from "./slice-work.js";

/** Slices by folder. */
export interface JournalsState {
  begun: readonly number[];
  continued: readonly number[];
}

/** Which journals are there, and which of them the slices and loads under way read. */
export class Journals {
  readonly #slices = new Set<SliceWork>();
  readonly #loads = new Set<readonly Link[]>();

  constructor(private readonly state: JournalsState) {}

  beginSlice(work: SliceWork): void {
    this.#slices.add(work);
  }

  endSlice(work: SliceWork): void {
    const { state } = this;
    this.#slices.delete(work);
    state.begun = [...state.begun, work.slice];
    if (work.links.length > 0) state.continued = [...state.continued, work.slice];
  }

  beginLoad(links: readonly Link[]): void {
    this.#loads.add(links);
  }

  endLoad(links: readonly Link[]): void {
    this.#loads.delete(links);
  }

  /**
   * Takes the folders that nothing needs any more.
   * @param slices those whose `begun` folder is needed
   */
  takeUnneeded(slices: Iterable<number>, places: readonly Place[], open: readonly LinkInRun[]): string[] {
    const needed = new Set([...places, ...this.#placesUnderWay()].map(folderOf));
    for (const slice of [...slices, ...open.flatMap(({ begun }) => begun)])
      needed.add(journalFolder(slice, "begun"));
    for (const slice of this.state.continued) {
      const isContinued = ({ continued }: LinkInRun) =>
        continued !== null && continued[0] <= slice && slice <= continued[1];
      if (open.some(isContinued)) needed.add(journalFolder(slice, "continued"));
    }
    const dropped: string[] = [];
    for (const kind of ["begun", "continued"] as const) {
      this.state[kind] = this.state[kind].filter((slice) => {
        const folder = journalFolder(slice, kind);
        if (!needed.has(folder)) dropped.push(folder);
        return needed.has(folder);
      });
    }
    return dropped;
  }

  /** A retry reads all of its input again, whatever became of its links meanwhile. */
  #placesUnderWay(): Place[] {
    const slices = [...this.#slices];
    const links = [...slices.flatMap((work) => work.links), ...[...this.#loads].flat()];
    return [
      ...slices.flatMap(({ waiting }) => waiting.map(({ report }) => report)),
      ...slices.flatMap(({ users }) => users.flatMap(({ staged }) => staged)),
      ...links.flatMap(({ link, progress }) => [
        link,
        ...progress.staged,
        ...(progress.lastPage ? [progress.lastPage] : []),
      ]),
    ];
  }
}

function folderOf({ journal }: Place): string {
  return journal.slice(0, journal.lastIndexOf("/"));
}
