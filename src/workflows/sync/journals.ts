import type { OpenLinkProgress, SliceWork } from "../../activities/sync/read/slice-work.js";
import { journalFolder, type Place } from "../../domain/sync/place.js";
import type { OpenLink } from "./open-link.js";

/** Slices whose journals are there, as a run carries them through continue-as-new. */
export interface CarriedJournals {
  readonly begun: readonly number[];
  readonly continued: readonly number[];
}

/** What needs journals besides what slices and loads were given. */
interface NeededJournals {
  /** Slices whose first folder is needed. */
  readonly slices: Iterable<number>;
  readonly places: readonly Place[];
  readonly open: readonly OpenLink[];
}

/** The journals of a run: which are there, and what slices and loads that are under way read of them. */
export class Journals {
  readonly #begun: Set<number>;
  readonly #continued: Set<number>;
  readonly #slices = new Map<number, SliceWork>();
  readonly #loads = new Set<readonly OpenLinkProgress[]>();

  constructor(carried: CarriedJournals = { begun: [], continued: [] }) {
    this.#begun = new Set(carried.begun);
    this.#continued = new Set(carried.continued);
  }

  carry(): CarriedJournals {
    return { begun: [...this.#begun], continued: [...this.#continued] };
  }

  beginSlice(slice: number, work: SliceWork): void {
    this.#slices.set(slice, work);
  }

  endSlice(slice: number, { links }: SliceWork): void {
    this.#slices.delete(slice);
    this.#begun.add(slice);
    if (links.length > 0) this.#continued.add(slice);
  }

  beginLoad(links: readonly OpenLinkProgress[]): void {
    this.#loads.add(links);
  }

  endLoad(links: readonly OpenLinkProgress[]): void {
    this.#loads.delete(links);
  }

  /** Takes the folders that nothing needs any more. */
  takeUnneeded({ slices, places, open }: NeededJournals): string[] {
    const begun = [...slices, ...open.flatMap((link) => link.begun)];
    const needed = new Set(begun.map((slice) => journalFolder(slice, "begun")));
    for (const place of [...places, ...this.#placesUnderWay()]) needed.add(folderOf(place));
    const isContinued = (slice: number) =>
      open.some(({ continued }) => continued !== null && continued[0] <= slice && slice <= continued[1]);
    const folders: string[] = [];
    for (const slice of this.#begun) {
      const folder = journalFolder(slice, "begun");
      if (needed.has(folder)) continue;
      this.#begun.delete(slice);
      folders.push(folder);
    }
    for (const slice of this.#continued) {
      const folder = journalFolder(slice, "continued");
      if (needed.has(folder) || isContinued(slice)) continue;
      this.#continued.delete(slice);
      folders.push(folder);
    }
    return folders;
  }

  /** A slice or a load that is tried again reads all of it again; its links may have ended meanwhile. */
  #placesUnderWay(): Place[] {
    const slices = [...this.#slices.values()];
    const links = [...slices.flatMap((work) => work.links), ...[...this.#loads].flat()];
    const places = slices.flatMap(({ waiting, users }) => [
      ...waiting.map(({ report }) => report),
      ...users.flatMap(({ staged }) => staged),
    ]);
    for (const { link, progress } of links) {
      places.push(link, ...progress.staged, ...(progress.lastPage === null ? [] : [progress.lastPage]));
    }
    return places;
  }
}

function folderOf({ journal }: Place): string {
  return journal.slice(0, journal.lastIndexOf("/"));
}
