import type { Link } from "../link.js";
import { sliceOf } from "../place.js";
import type { Failure } from "../sync-totals.js";
import {
  COMMIT_EVERY_BYTES,
  COMMIT_EVERY_LINKS,
  COMMIT_EVERY_MS,
  COMMIT_EVERY_OBSERVED_BYTES,
  LOAD_BYTES,
  LOAD_PAGES,
} from "./limits.js";
import type { LinkInRun } from "./links.js";
import type { ReportRef } from "./slice-work.js";

export interface LoadResult {
  readonly manifest: string;
  /** What becomes of links with a page that is lost or can't be loaded: the manifest has none of their rows. */
  readonly refused: readonly Link[];
}

/** Its finished links are loaded. */
interface LoadedReport {
  readonly report: ReportRef;
  readonly manifest: string;
  /** Keys of links that could not be loaded. */
  readonly without: readonly string[];
}

export interface CommitWork {
  /** It names the commit's transactions. */
  readonly chunk: number;
  /** Their users and ended links are committed. */
  readonly reports: readonly ReportRef[];
  /** Their finished links are. */
  readonly loaded: readonly LoadedReport[];
  /** Read, or at an end. */
  readonly links: readonly Link[];
  /** Staged names. */
  readonly manifests: readonly string[];
  readonly failed: readonly Failure[];
}

export interface PublicationState {
  chunk: number;
  /** Nothing of them is committed. */
  reports: readonly ReportRef[];
  /** Their finished links wait to be loaded. */
  finished: readonly ReportRef[];
  loaded: readonly LoadedReport[];
  failed: readonly Failure[];
  users: number;
}

/** What slices have finished. */
export class Publication {
  /** Links of the commit under way. */
  #committing = 0;
  readonly #loading = new Set<ReportRef>();

  constructor(
    private committedAt: number,
    private readonly state: PublicationState,
  ) {}

  add(report: ReportRef | null, users: number, failed: readonly Failure[]): void {
    const { state } = this;
    if (report !== null) state.reports = [...state.reports, report];
    if (report !== null && report.finished.links > 0) state.finished = [...state.finished, report];
    state.failed = [...state.failed, ...failed];
    state.users += users + failed.length;
  }

  /** Enough is finished, or enough time has passed. */
  isDue(now: number, read: readonly LinkInRun[], ended: number): boolean {
    const { reports, users } = this.state;
    return (
      Math.max(users, this.#links + read.length + ended) >= COMMIT_EVERY_LINKS ||
      this.#sum("bytes") + sum(read, bytesOf) >= COMMIT_EVERY_BYTES ||
      sum(reports, ({ observedBytes }) => observedBytes) >= COMMIT_EVERY_OBSERVED_BYTES ||
      now - this.committedAt >= COMMIT_EVERY_MS
    );
  }

  /** @param read links with pages that are not loaded yet */
  isWorthLoading(read: readonly LinkInRun[]): boolean {
    const { finished } = this.state;
    return (
      sum(finished, (one) => one.finished.bytes) + sum(read, bytesOf) >= LOAD_BYTES ||
      sum(finished, (one) => one.finished.pages) + sum(read, ({ progress }) => progress.staged.length) >=
        LOAD_PAGES
    );
  }

  takeToLoad(): readonly ReportRef[] {
    const { finished } = this.state;
    this.state.finished = [];
    for (const report of finished) this.#loading.add(report);
    return finished;
  }

  applyLoad(reports: readonly ReportRef[], manifest: string, without: readonly string[]): void {
    for (const report of reports) this.#loading.delete(report);
    const loaded = reports.map((report) => ({ report, manifest, without }));
    this.state.loaded = [...this.state.loaded, ...loaded];
  }

  /** Undefined where there is nothing. */
  takeToCommit(read: readonly LinkInRun[], ended: readonly Link[], now: number): CommitWork | undefined {
    const { chunk, reports, loaded, failed } = this.state;
    this.committedAt = now;
    if ([reports, loaded, read, ended, failed].every(({ length }) => length === 0)) return undefined;
    this.#committing = read.length + this.#links;
    Object.assign(this.state, { chunk: chunk + 1, reports: [], loaded: [], failed: [], users: 0 });
    const manifests = [...loaded.map(({ manifest }) => manifest), ...read.flatMap((one) => one.manifests)];
    const links = read.map(({ link, stage, progress }) => ({ link, stage, progress }));
    return {
      chunk,
      reports,
      loaded,
      links: [...links, ...ended],
      manifests: [...new Set(manifests)],
      failed,
    };
  }

  /** Their journals hold something that is not committed. */
  get slices(): number[] {
    const needed = [...this.state.reports, ...this.#unloaded];
    return needed.flatMap(({ place, slices }) => [sliceOf(place), ...slices]);
  }

  committed(): void {
    this.#committing = 0;
  }

  get uncommitted(): number {
    return this.#links + this.#committing;
  }

  /** Of finished links that are not committed. */
  get entries(): number {
    return this.#sum("entries");
  }

  get pages(): number {
    return this.#sum("pages");
  }

  /** Their finished links are not committed. */
  get #unloaded(): ReportRef[] {
    const { finished, loaded } = this.state;
    return [...finished, ...this.#loading, ...loaded.map(({ report }) => report)];
  }

  get #links(): number {
    return sum(this.state.reports, ({ ended }) => ended) + this.#sum("links");
  }

  #sum(of: keyof ReportRef["finished"]): number {
    return sum(this.#unloaded, ({ finished }) => finished[of]);
  }
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

function bytesOf({ progress }: LinkInRun): number {
  return progress.bytes;
}
