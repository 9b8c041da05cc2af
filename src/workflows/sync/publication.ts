import type { CommitInput, EndedLink } from "../../activities/sync/commit/commit.js";
import type { LoadedReport } from "../../activities/sync/commit/complete-links.js";
import type { ReportRef } from "../../activities/sync/read/slice-work.js";
import { sliceOf } from "../../domain/sync/place.js";
import type { Failure } from "../../domain/sync/sync-totals.js";
import {
  COMMIT_EVERY_BYTES,
  COMMIT_EVERY_LINKS,
  COMMIT_EVERY_MS,
  LOAD_BYTES,
  LOAD_PAGES,
} from "../policies.js";
import type { OpenLink } from "./open-link.js";

/** A report whose finished links are loaded, but for some, and the manifest that holds their rows. */
interface PublishedReport extends Pick<LoadedReport, "without"> {
  readonly ref: ReportRef;
  readonly manifest: string;
}

/** What is on its way into the tables, as it is carried through continue-as-new. */
export interface CarriedPublication {
  /** Number of the next commit. */
  readonly chunk: number;
  /** Reports of which nothing is committed. */
  readonly reports: readonly ReportRef[];
  /** Reports whose finished links are to be loaded. */
  readonly finished: readonly ReportRef[];
  readonly loaded: readonly PublishedReport[];
  readonly failed: readonly Failure[];
  /** Users who have come to their end since the last commit. */
  readonly users: number;
}

const NOTHING: CarriedPublication = {
  chunk: 0,
  reports: [],
  finished: [],
  loaded: [],
  failed: [],
  users: 0,
};

/** What slices have brought to its end: what to load and to commit next. */
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

  /** Takes what a slice has brought to its end. */
  add(report: ReportRef | null, users: number, failed: readonly Failure[]): void {
    const { reports, finished, ...state } = this.#state;
    const { links = 0 } = report?.finished ?? {};
    this.#set({
      reports: report === null ? reports : [...reports, report],
      finished: report === null || links === 0 ? finished : [...finished, report],
      failed: [...state.failed, ...failed],
      users: state.users + users + failed.length,
    });
  }

  /**
   * Whether so much is finished, or so much time has passed, that it is worth a commit.
   *
   * @param complete links that are held one by one and complete
   * @param ended links that ended with nothing to commit
   */
  isDue(now: number, complete: readonly OpenLink[], ended: number): boolean {
    const links = this.#links + complete.length + ended;
    if (Math.max(this.#state.users, links) >= COMMIT_EVERY_LINKS) return true;
    const bytes = this.#parts.reduce((sum, { finished }) => sum + finished.bytes, 0);
    if (complete.reduce((sum, { progress }) => sum + progress.bytes, bytes) >= COMMIT_EVERY_BYTES)
      return true;
    return now - this.#committedAt >= COMMIT_EVERY_MS;
  }

  /**
   * Whether what is finished is worth a load.
   *
   * @param complete links that are held one by one and complete, and not loaded
   */
  isWorthLoading(complete: readonly OpenLink[]): boolean {
    const { finished } = this.#state;
    const single = complete.map(({ progress }) => ({ bytes: progress.bytes, pages: progress.staged.length }));
    const all = [...finished.map((report) => report.finished), ...single];
    const bytes = all.reduce((sum, one) => sum + one.bytes, 0);
    return bytes >= LOAD_BYTES || all.reduce((sum, { pages }) => sum + pages, 0) >= LOAD_PAGES;
  }

  /** Takes the reports whose links are loaded now. */
  takeToLoad(): ReportRef[] {
    const { finished } = this.#state;
    this.#set({ finished: [] });
    for (const report of finished) this.#loading.add(report);
    return [...finished];
  }

  /** @param refused keys of links that could not be loaded */
  applyLoad(reports: readonly ReportRef[], manifest: string, refused: readonly string[]): void {
    for (const ref of reports) this.#loading.delete(ref);
    const loaded = reports.map((ref) => ({ ref, manifest, without: refused }));
    this.#set({ loaded: [...this.#state.loaded, ...loaded] });
  }

  /** Takes what one commit takes; undefined where there is nothing. */
  takeToCommit(
    links: readonly OpenLink[],
    ended: readonly EndedLink[],
    now: number,
  ): Omit<CommitInput, "runId" | "streams" | "full"> | undefined {
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

  /** Slices whose journals something needs that is not committed. */
  get slices(): Set<number> {
    const needed = [...this.#state.reports, ...this.#parts];
    return new Set(needed.flatMap(({ place, slices }) => [sliceOf(place), ...slices]));
  }

  /** Takes note that what was taken last is committed. */
  committed(): void {
    this.#committing = 0;
  }

  /** Links that are at their end and not committed. */
  get uncommitted(): number {
    return this.#links + this.#committing;
  }

  /** Entries of finished links that are not committed. */
  get entries(): number {
    return this.#parts.reduce((sum, { finished }) => sum + finished.entries, 0);
  }

  /** Reports whose finished links are not committed. */
  get #parts(): ReportRef[] {
    const { finished, loaded } = this.#state;
    return [...finished, ...this.#loading, ...loaded.map(({ ref }) => ref)];
  }

  /** Links of reports that are not committed. */
  get #links(): number {
    const quiet = this.#state.reports.reduce((sum, report) => sum + report.quiet, 0);
    return this.#parts.reduce((sum, { finished }) => sum + finished.links, quiet);
  }

  #set(change: Partial<CarriedPublication>): void {
    this.#state = { ...this.#state, ...change };
  }
}
