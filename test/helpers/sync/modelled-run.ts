import { freshProgress, type Link, type LinkProgress } from "../../../src/domain/sync/link.js";
import { afterOutcome, type LinkOutcome } from "../../../src/domain/sync/link-reading.js";
import { type Place, placeKey } from "../../../src/domain/sync/place.js";
import type { CommitWork } from "../../../src/domain/sync/run/publication.js";
import type { OpenUser, SliceWork } from "../../../src/domain/sync/run/slice-work.js";
import { SyncState, type ToLoad } from "../../../src/domain/sync/run/sync-state.js";
import { type Failure, noTotals } from "../../../src/domain/sync/sync-totals.js";
import { freshUser, type UserProgress } from "../../../src/domain/sync/user-reading.js";
import { type ModelledReport, ModelledStaging } from "./modelled-staging.js";
import { NEW, SIZE, sliceResult } from "./slice-results.js";

/**
 * A run as its workflow does it over the real state, with activities that only name records: whatever they read must
 * be in a folder that was not dropped. Chance decides how far slices come and what ends when.
 */
export class ModelledRun {
  readonly ends = new Map<string, number>();
  readonly staging = new ModelledStaging();
  #state: SyncState;
  #now = 0;
  #links = 0;
  readonly #names = new Map<string, string>();
  /** Pages in each manifest: link, attempt, page. */
  readonly #manifests = new Map<string, string[]>();
  #slices: SliceWork[] = [];
  /** Loads and commits in their order, as the publisher queues them. */
  #queue: { readonly toLoad: ToLoad | undefined; readonly commits: boolean }[] = [];
  #committing: CommitWork | undefined;

  constructor(
    private readonly users: number,
    /** A whole number below the given one. */
    private readonly draw: (below: number) => number,
  ) {
    this.#state = this.#newState();
  }

  #newState(carried?: SyncState["carried"]): SyncState {
    const rules = { full: false, pageSize: SIZE, mostMs: 60_000 };
    const options = { ...rules, users: this.users, now: this.#now };
    return new SyncState(options, carried);
  }

  get links(): number {
    return this.#links;
  }

  /** Ends the run; throws where something is read that was dropped, or nothing moves any more. */
  finish(): SyncState {
    for (let step = 0; step < 20_000; step += 1) {
      const choice = this.draw(3);
      if (choice === 0 && this.#queue.length > 0) this.#publishNext();
      else if (choice === 1 && this.#slices.length > 0) this.#endSlice();
      else if (this.#slices.length < 3 && this.#startSlice()) continue;
      else if (this.#slices.length > 0) this.#endSlice();
      else if (this.#isDone()) {
        this.#drop();
        return this.#state;
      }
    }
    throw new Error("the run does not come to its end");
  }

  #drop(): void {
    for (const folder of this.#state.takeToDrop()) this.staging.dropped.add(folder);
  }

  #startSlice(): boolean {
    const work = this.#state.takeSlice(this.#now, (1 + this.draw(3)) / 3);
    if (work === undefined) return false;
    this.#reads(work);
    this.#slices.push(work);
    return true;
  }

  /** Nothing is in a slice, and nothing is due. */
  #isDone(): boolean {
    this.#publish(true);
    while (this.#queue.length > 0) this.#publishNext();
    this.#state = this.#newState(JSON.parse(JSON.stringify(this.#state.carried)));
    const due = this.#state.nextDue();
    if (due === undefined) return !this.#state.tryAgain();
    // What a load gave back may be due at once: then a slice takes it.
    const work = due <= this.#now ? this.#state.takeSlice(this.#now, 1) : undefined;
    if (due <= this.#now && work === undefined) throw new Error("something is due, and no slice takes it");
    if (work !== undefined) this.#slices.push(work);
    this.#now = Math.max(this.#now, due);
    return false;
  }

  /** What an attempt of a slice reads before it asks anything; a later attempt reads it again. */
  #reads({ links, waiting, users }: SliceWork): Place[] {
    for (const { link, progress } of links) this.staging.need(link, progress.lastPage);
    for (const { staged } of users) this.staging.need(...staged);
    const found = waiting.flatMap(({ report, from, to }) =>
      this.staging.report(report).waiting.slice(from, to),
    );
    this.staging.need(...found);
    return found;
  }

  #endSlice(): void {
    const [work] = this.#slices.splice(this.draw(this.#slices.length), 1) as [SliceWork];
    const waiting = this.#reads(work);
    this.#now += this.draw(2_000);
    const folder = `${work.slice}`;
    const report: ModelledReport = { users: [], observed: [], ended: [], finished: [], waiting: [] };
    const links: Link[] = [];
    for (const { link, progress } of work.links) this.#readLink(link, progress, work.slice, report, links);
    const notBegun = this.draw(waiting.length + 1);
    for (const link of waiting.slice(0, waiting.length - notBegun)) {
      this.#readLink(link, freshProgress(null, SIZE, false), work.slice, report, links);
    }
    const { from = 0, to = 0 } = work.fresh ?? {};
    const reached = from + this.draw(to - from + 1);
    const users: OpenUser[] = [];
    const failed: Failure[] = [];
    const begun = Array.from({ length: reached - from }, (_, n) => freshUser(from + n));
    for (const progress of [...work.users, ...begun]) {
      const end = this.#readUser(progress, folder, report, links, work.slice);
      if (end === "failed") failed.push({ stream: "accounts", owner: `${progress.user}`, reason: "x" });
      else if (end !== "read") users.push({ progress: end });
    }
    const ref = this.staging.add(this.staging.place(folder), report);
    const at = this.#now;
    const usersRead = report.users.length;
    const result = { report: ref, usersRead, users, failed, reached, links, notBegun, at };
    this.#state.applySlice(work, sliceResult(result));
    this.#publish(false);
  }

  #readUser(
    progress: UserProgress,
    folder: string,
    report: ModelledReport,
    links: Link[],
    slice: number,
  ): UserProgress | "failed" | "read" {
    const staged = [...progress.staged, this.staging.place(folder)];
    const chance = this.draw(10);
    if (chance === 0) return { ...progress, staged, notBefore: 0 };
    if (chance === 1) {
      const streak = { count: (progress.streak?.count ?? 0) + 1, since: progress.streak?.since ?? this.#now };
      return { ...progress, staged, streak, notBefore: this.#now + 1_000 };
    }
    if (chance === 2) return "failed";
    report.users.push(progress.user);
    report.observed.push(...staged);
    for (let found = this.draw(4); found > 0; found -= 1) {
      const link = this.staging.place(folder);
      this.#names.set(placeKey(link), `link ${this.#links}`);
      this.#links += 1;
      if (this.draw(3) === 0) report.waiting.push(link);
      else this.#readLink(link, freshProgress(null, SIZE, false), slice, report, links);
    }
    return "read";
  }

  #readLink(link: Place, before: LinkProgress, slice: number, report: ModelledReport, links: Link[]): void {
    const folder = before.pages === 0 ? `${slice}` : `${slice}-continued`;
    let progress = before;
    for (let pages = this.draw(12); pages > 0; pages -= 1) {
      const place = this.staging.place(folder);
      progress = {
        ...{
          ...progress,
          pages: progress.pages + 1,
          entries: progress.entries + 1,
          bytes: progress.bytes + 1e6,
        },
        ...{ staged: [...progress.staged, { ...place, entries: 1 }], lastPage: place, streak: null },
        ...{ cursor: "c", lastNext: "c" },
      };
    }
    const outcome = this.#outcome();
    const name = this.#names.get(placeKey(link)) ?? "?";
    const isShort = before.pages === 0 && before.restarts === 0;
    const left = { link, ...afterOutcome(progress, NEW, outcome, SIZE, this.#now, 0.5) };
    const isEnded = typeof left.stage === "object" || (outcome.kind === "complete" && this.draw(4) === 0);
    if (isEnded && isShort) report.ended.push(name);
    else if (left.stage === "read" && isShort) report.finished.push(left);
    else links.push(left);
  }

  #outcome(): LinkOutcome {
    const chance = this.draw(20);
    if (chance === 0) return { kind: "transient", reason: "x", retryAfterMs: null };
    if (chance === 1) return { kind: "rejected", status: 400 };
    if (chance === 2) return { kind: "gone" };
    if (chance === 3) return { kind: "torn" };
    return chance < 10 ? { kind: "open" } : { kind: "complete" };
  }

  #publish(last: boolean): void {
    const commits = last || this.#state.isCommitDue(this.#now) || this.draw(4) === 0;
    const toLoad = this.#state.takeToLoad(commits);
    if (toLoad !== undefined || commits) this.#queue.push({ toLoad, commits });
  }

  /** The next step of what is queued: a load that ends, a commit that begins, or one that ends. */
  #publishNext(): void {
    if (this.#committing !== undefined) {
      this.#commit(this.#committing);
      this.#state.applyCommit({ totals: noTotals(), removed: {} });
      this.#committing = undefined;
      this.#drop();
      this.#queue.shift();
      return;
    }
    const [next] = this.#queue;
    if (next?.toLoad !== undefined) {
      this.#load(next.toLoad);
      this.#queue[0] = { ...next, toLoad: undefined };
      if (next.commits) return;
    }
    this.#committing = next?.commits ? this.#state.takeToCommit(this.#now) : undefined;
    if (this.#committing === undefined) this.#queue.shift();
  }

  #load(toLoad: ToLoad): void {
    const all = [...toLoad.links];
    for (const { place } of toLoad.reports) {
      all.push(...this.staging.report(place).finished);
    }
    const pages: string[] = [];
    const refused: Link[] = [];
    for (const { link, progress } of all) {
      this.staging.need(link, ...progress.staged);
      const outcome: LinkOutcome = this.draw(2) === 0 ? { kind: "torn" } : { kind: "broken", reason: "x" };
      if (this.draw(15) === 0)
        refused.push({ link, ...afterOutcome(progress, NEW, outcome, SIZE, this.#now, 0.5) });
      else {
        const first = progress.loaded.pages;
        pages.push(...progress.staged.map((_, n) => `${placeKey(link)} ${progress.attempt} ${first + n}`));
      }
    }
    const manifest = `m${this.#manifests.size}`;
    this.#manifests.set(manifest, pages);
    this.#state.applyLoad(toLoad, { manifest, refused }, this.#now);
  }

  #commit({ reports, loaded, links, manifests, failed }: CommitWork): void {
    for (const { place } of reports) {
      const { users, observed, ended } = this.staging.report(place);
      this.staging.need(...observed);
      for (const name of [...users.map((user) => `user ${user}`), ...ended]) this.#end(name);
    }
    const pages = manifests.flatMap((name) => this.#manifests.get(name) ?? []);
    const complete = links.filter(({ stage }) => stage === "read");
    for (const { report, without } of loaded) {
      const { finished } = this.staging.report(report.place);
      for (const one of finished) if (!without.includes(placeKey(one.link))) complete.push(one);
    }
    for (const { link, progress } of complete) {
      this.staging.need(link, ...progress.staged, progress.lastPage);
      const own = pages.filter((page) => page.startsWith(`${placeKey(link)} ${progress.attempt} `));
      const wanted = Array.from(
        { length: progress.pages },
        (_, n) => `${placeKey(link)} ${progress.attempt} ${n}`,
      );
      if (own.sort().join() !== wanted.sort().join())
        throw new Error("manifests don't hold a link's pages once");
    }
    for (const { link } of [...complete, ...links.filter(({ stage }) => stage !== "read")]) {
      this.staging.need(link);
      this.#end(this.#names.get(placeKey(link)) ?? "?");
    }
    for (const { owner } of failed) this.#end(`user ${owner}`);
  }

  #end(name: string): void {
    this.ends.set(name, (this.ends.get(name) ?? 0) + 1);
  }
}
