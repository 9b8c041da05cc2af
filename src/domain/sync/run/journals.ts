import type { LinkReading } from "../link-progress.js";
import { journalFolder, type Place } from "../place.js";
import type { OpenLink } from "./open-link.js";
import type { SliceWork } from "./slice-work.js";

/** Slices whose journals are there, by folder, as continue-as-new carries them. */
export interface CarriedJournals {
  readonly begun: readonly number[];
  readonly continued: readonly number[];
}

interface NeededJournals {
  /** Slices whose `begun` folder is needed. */
  readonly slices: Iterable<number>;
  readonly places: readonly Place[];
  readonly open: readonly OpenLink[];
}

/** The journals of a run: which are there, and which of them the slices and loads under way read. */
export class Journals {
  readonly #slices = new Map<number, SliceWork>();
  readonly #loads = new Set<readonly LinkReading[]>();

  constructor(private state: CarriedJournals = { begun: [], continued: [] }) {}

  carry(): CarriedJournals {
    return this.state;
  }

  beginSlice(slice: number, work: SliceWork): void {
    this.#slices.set(slice, work);
  }

  endSlice(slice: number, { links }: SliceWork): void {
    const { begun, continued } = this.state;
    this.#slices.delete(slice);
    this.state = {
      begun: [...begun, slice],
      continued: links.length > 0 ? [...continued, slice] : continued,
    };
  }

  beginLoad(links: readonly LinkReading[]): void {
    this.#loads.add(links);
  }

  endLoad(links: readonly LinkReading[]): void {
    this.#loads.delete(links);
  }

  /** Takes the folders that nothing needs any more. */
  takeUnneeded({ slices, places, open }: NeededJournals): string[] {
    const needed = new Set([...places, ...this.#placesUnderWay()].map(folderOf));
    for (const slice of [...slices, ...open.flatMap(({ begun }) => begun)]) {
      needed.add(journalFolder(slice, "begun"));
    }
    for (const slice of this.state.continued) {
      const isContinued = ({ continued }: OpenLink) =>
        continued !== null && continued[0] <= slice && slice <= continued[1];
      if (open.some(isContinued)) needed.add(journalFolder(slice, "continued"));
    }
    const dropped: string[] = [];
    const kept = (kind: keyof CarriedJournals) =>
      this.state[kind].filter((slice) => {
        const folder = journalFolder(slice, kind);
        if (!needed.has(folder)) dropped.push(folder);
        return needed.has(folder);
      });
    this.state = { begun: kept("begun"), continued: kept("continued") };
    return dropped;
  }

  /** A slice or a load that is retried reads all of its input again, whatever became of its links meanwhile. */
  #placesUnderWay(): Place[] {
    const slices = [...this.#slices.values()];
    const links = [...slices.flatMap((work) => work.links), ...[...this.#loads].flat()];
    return [
      ...slices.flatMap(({ waiting }) => waiting.map(({ report }) => report)),
      ...slices.flatMap(({ users }) => users.flatMap(({ staged }) => staged)),
      ...links.flatMap(({ link, progress }) => [link, ...progress.staged]),
      ...links.flatMap(({ progress }) => progress.lastPage ?? []),
    ];
  }
}

function folderOf({ journal }: Place): string {
  return journal.slice(0, journal.lastIndexOf("/"));
}
