import { ListPass, type ReadPage } from "../../../api/lists/read-list.js";
import type { Place } from "../../../domain/sync/place.js";
import type { ObjectStore } from "../../../lake/store/object-store.js";
import { type Journal, readRecord } from "../../../lake/sync/journal/journal.js";
import type { ListPages, ObservedPage } from "../../../lake/sync/journal/report.js";

export class PagedList extends ListPass {
  readonly #pages: ObservedPage[] = [];
  /** Staged by earlier slices. */
  #earlier = 0;
  #freshIds: string[] = [];
  #total: number | undefined;

  constructor(
    readonly name: string,
    readonly attempt: number,
    public next: number | "end" | undefined,
  ) {
    super();
  }

  get pages(): readonly ObservedPage[] {
    return this.#pages;
  }

  resume({ pages, ids, total, next }: ListPages): void {
    this.takePages({ items: [], ids, ...(total !== undefined && { total }), next }, pages);
    this.#earlier = this.#pages.length;
    this.#freshIds = [];
  }

  /** "moved" or "twice" where the page can't be of the list that was begun. */
  takePages(read: ReadPage<unknown>, pages: readonly ObservedPage[]): "moved" | "twice" | "taken" {
    const next = this.take(read);
    if (next === "moved" || next === "twice") return next;
    this.next = next;
    this.#total = read.total;
    this.#pages.push(...pages);
    for (const id of read.ids) this.#freshIds.push(id);
    return "taken";
  }

  /** What this slice staged of it. */
  get fresh(): ListPages | undefined {
    const { name: list, attempt, next } = this;
    const pages = this.#pages.slice(this.#earlier);
    if (pages.length === 0 || next === undefined) return undefined;
    const total = this.#total === undefined ? {} : { total: this.#total };
    return { list, attempt, pages, ids: this.#freshIds, ...total, next };
  }
}

/**
 * The lists of one user; one that comes in one answer is of one page. Each slice that leaves the user open adds a record of
 * what it staged of them: the run's history need not name each page.
 */
export class PagedLists {
  readonly #lists = new Map<string, PagedList>();

  private constructor(
    private readonly records: readonly Place[],
    private readonly attempt: number,
  ) {}

  /** Reads the records of earlier slices. A list that moved since is not continued. */
  static async of(
    store: ObjectStore,
    runId: string,
    { staged, attempt }: { readonly staged: readonly Place[]; readonly attempt: number },
  ): Promise<PagedLists> {
    const records: Place[] = [];
    const lists = new Map<string, PagedList>();
    for (const place of staged) {
      const record = await readRecord(store, runId, place);
      if (record === undefined) continue;
      records.push(place);
      for (const pages of JSON.parse(record.body.toString("utf8")) as ListPages[]) {
        const first = pages.pages[0]?.page ?? 0;
        const known =
          first === 0 ? new PagedList(pages.list, pages.attempt, undefined) : lists.get(pages.list);
        // Pages whose record is lost are read again.
        if (known === undefined || known.pages.length !== first) continue;
        known.resume(pages);
        lists.set(pages.list, known);
      }
    }
    const paged = new PagedLists(records, attempt);
    for (const list of lists.values())
      if (list.attempt === attempt || list.next === "end") paged.#lists.set(list.name, list);
    return paged;
  }

  /** As far as earlier slices have read it. */
  list(name: string, first: number | undefined): PagedList {
    const list = this.#lists.get(name) ?? new PagedList(name, this.attempt, first);
    this.#lists.set(name, list);
    return list;
  }

  drop({ name }: PagedList): void {
    this.#lists.delete(name);
  }

  async record(journal: Journal): Promise<readonly Place[]> {
    const fresh = [...this.#lists.values()].flatMap((list) => list.fresh ?? []);
    return fresh.length === 0 ? this.records : [...this.records, await journal.addValue("lists", fresh)];
  }
}
