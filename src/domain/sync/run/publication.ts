import type { LinkReading } from "../link-progress.js";
import { type Place, sliceOf } from "../place.js";
import type { Failure } from "../sync-totals.js";
import {
  COMMIT_EVERY_BYTES,
  COMMIT_EVERY_LINKS,
  COMMIT_EVERY_MS,
  COMMIT_EVERY_OBSERVED_BYTES,
  LOAD_BYTES,
  LOAD_PAGES,
} from "./limits.js";
import type { EndedLink, OpenLink } from "./open-link.js";
import type { LinkResult, ReportRef } from "./slice-work.js";

export interface LoadResult {
  /** Staged name of the manifest. */
  readonly manifest: string;
  /** Links that have a page that is lost or can't be loaded; none of their rows are in the manifest. */
  readonly refused: readonly LinkResult[];
}

/** Finished links of a report that are loaded. */
export interface LoadedReport {
  readonly report: Place;
  /** Keys of the links that could not be loaded. */
  readonly without: readonly string[];
}

export interface CommitWork {
  /** Number of this commit within the run: names its transactions. */
  readonly chunk: number;
  /** Reports whose users and quiet links are committed. */
  readonly reports: readonly Place[];
  /** Reports whose finished links are. */
  readonly loaded: readonly LoadedReport[];
  readonly links: readonly LinkReading[];
  /** Staged names of the manifests that hold the rows of both. */
  readonly manifests: readonly string[];
  readonly ended: readonly EndedLink[];
  readonly failed: readonly Failure[];
}

/** A report whose finished links are loaded, and the manifest that holds their rows. */
interface PublishedReport extends Pick<LoadedReport, "without"> {
  readonly ref: ReportRef;
  readonly manifest: string;
}

export interface CarriedPublication {
  /** Number of the next commit. */
  readonly chunk: number;
  /** Reports of which nothing is committed. */
  readonly reports: readonly ReportRef[];
  /** Reports whose finished links wait to be loaded. */
  readonly finished: readonly ReportRef[];
  readonly loaded: readonly PublishedReport[];
  readonly failed: readonly Failure[];
  /** Users who ended since the last commit. */
  readonly users: number;
}

const NOTHING: CarriedPublication = { chunk: 0, reports: [], finished: [], loaded: [], failed: [], users: 0 };

/** What slices have finished: what to load and commit next. */
export class Publication {
  #state: CarriedPublication;
  #committedAt: number;
  /** Links of the commit that is under way. */
  #committing = 0;
  /** Reports whose links are being loaded. */
  readonly #loading = new Set<ReportRef>();

  constructor(now: number, carried: CarriedPublication = NOTHING) {
    this.#state = carried;
    this.#committedAt = now;
  }

  carry(): CarriedPublication {
    return this.#state;
  }

  add(report: ReportRef | null, users: number, failed: readonly Failure[]): void {
    const state = this.#state;
    const own = report === null ? [] : [report];
    this.#set({
      reports: [...state.reports, ...own],
      finished: [...state.finished, ...own.filter(({ finished }) => finished.links > 0)],
      failed: [...state.failed, ...failed],
      users: state.users + users + failed.length,
    });
  }

  /** Whether a commit is worth it: enough is finished, or enough time has passed. */
  isDue(now: number, complete: readonly OpenLink[], ended: number): boolean {
    const links = this.#links + complete.length + ended;
    const bytes = sum([...this.#finished, ...complete.map(sizeOfLink)], "bytes");
    const { reports, users } = this.#state;
    const observedBytes = reports.reduce((total, report) => total + report.observedBytes, 0);
    return (
      Math.max(users, links) >= COMMIT_EVERY_LINKS ||
      bytes >= COMMIT_EVERY_BYTES ||
      observedBytes >= COMMIT_EVERY_OBSERVED_BYTES ||
      now - this.#committedAt >= COMMIT_EVERY_MS
    );
  }

  /** Whether a load is worth it; `complete` are open links with complete pages that are not loaded yet. */
  isWorthLoading(complete: readonly OpenLink[]): boolean {
    const all = [...this.#state.finished.map(({ finished }) => finished), ...complete.map(sizeOfLink)];
    return sum(all, "bytes") >= LOAD_BYTES || sum(all, "pages") >= LOAD_PAGES;
  }

  takeToLoad(): readonly ReportRef[] {
    const { finished } = this.#state;
    this.#set({ finished: [] });
    for (const report of finished) this.#loading.add(report);
    return finished;
  }

  /** @param refused keys of links that could not be loaded */
  applyLoad(reports: readonly ReportRef[], manifest: string, refused: readonly string[]): void {
    for (const ref of reports) this.#loading.delete(ref);
    const loaded = reports.map((ref) => ({ ref, manifest, without: refused }));
    this.#set({ loaded: [...this.#state.loaded, ...loaded] });
  }

  /** Takes what one commit takes; undefined where there is nothing. */
  takeToCommit(links: readonly OpenLink[], ended: readonly EndedLink[], now: number): CommitWork | undefined {
    const { chunk, reports, loaded, failed } = this.#state;
    this.#committedAt = now;
    const nothing = [reports, loaded, links, ended, failed].every(({ length }) => length === 0);
    if (nothing) return undefined;
    this.#committing = links.length + this.#links;
    this.#set({ chunk: chunk + 1, reports: [], loaded: [], failed: [], users: 0 });
    const manifests = [...loaded.map(({ manifest }) => manifest), ...links.flatMap((one) => one.manifests)];
    return {
      chunk,
      reports: reports.map(({ place }) => place),
      loaded: loaded.map(({ ref, without }) => ({ report: ref.place, without })),
      links: links.map(({ link, progress }) => ({ link, progress })),
      manifests: [...new Set(manifests)],
      ended,
      failed,
    };
  }

  /** Slices whose journals hold something that is not committed. */
  get slices(): Set<number> {
    const needed = [...this.#state.reports, ...this.#parts];
    return new Set(needed.flatMap(({ place, slices }) => [sliceOf(place), ...slices]));
  }

  committed(): void {
    this.#committing = 0;
  }

  get uncommitted(): number {
    return this.#links + this.#committing;
  }

  /** Entries of finished links that are not committed. */
  get entries(): number {
    return sum(this.#finished, "entries");
  }

  /** Pages of finished links that are not committed. */
  get pages(): number {
    return sum(this.#finished, "pages");
  }

  /** Reports whose finished links are not committed. */
  get #parts(): ReportRef[] {
    const { finished, loaded } = this.#state;
    return [...finished, ...this.#loading, ...loaded.map(({ ref }) => ref)];
  }

  get #finished(): ReportRef["finished"][] {
    return this.#parts.map(({ finished }) => finished);
  }

  /** Links of reports that are not committed. */
  get #links(): number {
    return sum(this.#state.reports, "quiet") + sum(this.#finished, "links");
  }

  #set(change: Partial<CarriedPublication>): void {
    this.#state = { ...this.#state, ...change };
  }
}

function sum<K extends string>(items: readonly Readonly<Record<K, number>>[], name: K): number {
  return items.reduce((total, item) => total + item[name], 0);
}

function sizeOfLink({ progress }: OpenLink): { readonly bytes: number; readonly pages: number } {
  return { bytes: progress.bytes, pages: progress.staged.length };
}
