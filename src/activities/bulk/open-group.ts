import type { BulkRun, FailedItem, FrozenBulkRow, RowEnd } from "../../domain/bulk/bulk-job.js";
import { type BulkTotals, noBulkTotals, sumOfTotals, totalsOf } from "../../domain/bulk/bulk-totals.js";
import { added, addTotals } from "../../domain/counts.js";
import {
  type AnyJob,
  type EndedItem,
  type JobContext,
  type JobRow,
  jobOfKind,
  type PlannedItem,
  planOf,
} from "../../jobs/job.js";
import { BulkStaging, type StagedClose, type StagedPlan } from "../../lake/bulk/bulk-staging.js";
import type { SealedRows } from "../../lake/store/sealed-rows.js";
import { requestsSent } from "../calls/call-record.js";
import type { Dependencies } from "../dependencies.js";

export interface BulkDependencies extends Dependencies {
  readonly jobs: readonly AnyJob[];
  readonly frozenRows: SealedRows<FrozenBulkRow>;
}

interface OpenRun {
  readonly job: AnyJob;
  readonly staging: BulkStaging;
  context(): Promise<JobContext>;
}

/** Opens a run. @throws InputError when this version does not know its kind. */
export function openRun(deps: BulkDependencies, { runId, kind, staging: id }: BulkRun): OpenRun {
  const staging = stagingOf(deps, id);
  return {
    job: jobOfKind(kind, deps.jobs),
    staging,
    async context() {
      const { options } = await staging.file.require();
      return { runId, lake: deps.lake, sealer: deps.sealed.sealer, options };
    },
  };
}

/** Opens the staging of a name. */
export function stagingOf({ sealed, frozenRows }: BulkDependencies, id: string): BulkStaging {
  return new BulkStaging(sealed, id, frozenRows);
}

export interface BulkGroup extends BulkRun {
  readonly group: number;
}

type AnyItem = EndedItem<object, unknown>;

/** An item of a closed group, with its number in the group's plan; those that needed no work come after all others. */
interface ClosedItem extends AnyItem {
  readonly number: number;
}

interface ItemEnd extends Pick<ClosedItem, "number" | "rows"> {
  readonly ends: readonly RowEnd[];
  /** Whether it has a result. */
  readonly isDone: boolean;
  readonly totals: BulkTotals;
}

/** Opens a group and reads its rows. @throws StagingLostError when they are gone. */
export async function openGroup(deps: BulkDependencies, input: BulkGroup): Promise<OpenGroup> {
  const run = openRun(deps, input);
  const rows = await run.staging.rowsOf(input.group);
  return new OpenGroup(deps, run, input.group, rows);
}

/** A group as its activities see it. All that is staged of it names rows by their lines. */
export class OpenGroup {
  readonly #byLine: ReadonlyMap<number, FrozenBulkRow>;
  /** The items of the closed group without a result; it is closed once. */
  #failed: Promise<ClosedItem[]> | undefined;

  constructor(
    private readonly deps: BulkDependencies,
    readonly run: OpenRun,
    readonly number: number,
    /** Invalid ones among them. */
    readonly rows: readonly FrozenBulkRow[],
  ) {
    this.#byLine = new Map(rows.map((row) => [row.line, row]));
  }

  readonly ownerOf = (line: number): string => {
    const { row = null } = this.#byLine.get(line) ?? {};
    return row === null ? "" : this.run.job.owner(row);
  };

  totalsOf(items: readonly AnyItem[]): BulkTotals {
    const { job } = this.run;
    const ends = items.flatMap((item) => endsOf(job, item));
    const counts = items.map((item) => job.counts?.(item) ?? {}).reduce(added, {});
    return { ...totalsOf(ends, this.ownerOf), ...(Object.keys(counts).length > 0 && { counts }) };
  }

  /** The plan of the group; of several attempts the first that was kept counts. */
  async plan(): Promise<StagedPlan> {
    const { job, staging, context } = this.run;
    const kept = staging.plan(this.number);
    const found = await kept.find();
    if (found !== undefined) return found;
    const done = this.rows.filter(({ result }) => result !== undefined);
    const open = validRows(this.rows.filter(({ result }) => result === undefined));
    const { work, ended } = await planOf(job, await context(), open);
    return kept.putIfAbsent({
      work: work.map(({ rows, given }) => ({ lines: linesOf(rows), given })),
      ended: [
        ...ended.map(({ rows, result }) => ({ lines: linesOf(rows), result })),
        ...done.map(({ line, result }) => ({ lines: [line], result })),
      ],
    });
  }

  /** Each item that is worked on. @throws StagingLostError when the plan is gone. */
  async work(): Promise<PlannedItem<object>[]> {
    const { work } = await this.run.staging.plan(this.number).require();
    return work.map(({ lines, given }) => ({ rows: this.#rowsAt(lines), given }));
  }

  skipped({ work, ended }: StagedPlan): ClosedItem[] {
    return ended.map(({ lines, result }, at) => ({
      ...{ number: work.length + at, rows: this.#rowsAt(lines) },
      ...{ result, reason: null, asked: 0 },
    }));
  }

  /**
   * Every item that had ended when the group was closed, in any order; memory holds the results of a few. An item that
   * was never begun leaves no rows.
   */
  async *ended(close: StagedClose): AsyncGenerator<ClosedItem> {
    const { staging } = this.run;
    const work = await this.work();
    const done = new Set<number>();
    const failed = new Map(close.failed.map((one) => [one.item, one]));
    for (const name of close.results) {
      for (const { item: number, result = null } of await staging.results(name)) {
        const { rows } = work[number] ?? {};
        if (rows === undefined || result === null || done.has(number) || failed.has(number)) continue;
        done.add(number);
        yield { number, rows, result, reason: null, asked: 0 };
      }
    }
    this.#failed ??= this.#failedItems(failed, work, done);
    yield* await this.#failed;
    for (const item of this.skipped(await staging.plan(this.number).require())) {
      const { reason } = failed.get(item.number) ?? {};
      yield reason === undefined ? item : { ...item, result: null, reason };
    }
  }

  /** As {@link ended}, all together and in the order of the plan. */
  async allEnded(close: StagedClose): Promise<ClosedItem[]> {
    const items: ClosedItem[] = [];
    for await (const item of this.ended(close)) items.push(item);
    return items.sort((a, b) => a.number - b.number);
  }

  /** What became of the rows of each of these items, in the order of the plan. */
  async closedItems(close: StagedClose): Promise<ItemEnd[]> {
    const ends: ItemEnd[] = [];
    for await (const item of this.ended(close)) {
      const { number, rows, result } = item;
      const totals = this.totalsOf([item]);
      ends.push({ number, rows, ends: endsOf(this.run.job, item), isDone: result !== null, totals });
    }
    return ends.sort((a, b) => a.number - b.number);
  }

  async #failedItems(
    failed: ReadonlyMap<number, FailedItem>,
    work: readonly PlannedItem<object>[],
    done: ReadonlySet<number>,
  ): Promise<ClosedItem[]> {
    const items: ClosedItem[] = [];
    for (const [number, { rows }] of work.entries()) {
      if (done.has(number)) continue;
      const failure = failed.get(number);
      const asked = await requestsSent(this.deps.sealed, this.run.staging.itemPrefix(this.number, number));
      // A stopped run leaves items for which no request was sent.
      if (failure === undefined && asked === 0) continue;
      const { reason = "interrupted", refused } = failure ?? {};
      items.push({ number, rows, result: null, reason, refused, asked });
    }
    return items;
  }

  /** The valid rows of the closed group whose items have not ended, because the run that closed it was stopped. */
  notBegun(items: readonly Pick<AnyItem, "rows">[]): FrozenBulkRow[] {
    const ended = new Set(items.flatMap(({ rows }) => linesOf(rows)));
    return this.rows.filter(({ line, row }) => row !== null && !ended.has(line));
  }

  #rowsAt(lines: readonly number[]): JobRow<object>[] {
    return validRows(lines.flatMap((line) => this.#byLine.get(line) ?? []));
  }
}

/** What became of the rows of an item. */
export function endsOf(job: AnyJob, { rows, result, reason, refused }: AnyItem): readonly RowEnd[] {
  const failed = { status: "failed", reason, refused } as const;
  const done = { status: "done", reason: null } as const;
  return rows.map(({ line }, at) => {
    return { line, ...(result === null ? failed : (job.end?.(result, at) ?? done)) };
  });
}

function validRows(rows: readonly FrozenBulkRow[]): JobRow<object>[] {
  return rows.flatMap(({ line, row, files }) =>
    row === null ? [] : [{ line, row, ...(files !== undefined && { files }) }],
  );
}

function linesOf(rows: readonly JobRow<object>[]): number[] {
  return rows.map(({ line }) => line);
}

/** Plans the rows of a group, once: which are worked on together, and which need no work, with the totals of those. */
export async function planItems(
  deps: BulkDependencies,
  input: BulkGroup,
): Promise<{ readonly items: number; readonly totals: BulkTotals }> {
  const group = await openGroup(deps, input);
  const { job, staging } = group.run;
  const invalid = group.rows.filter(({ row }) => row === null).length;
  const counted = { ...noBulkTotals().rows, total: group.rows.length, invalid };
  const planned = (items: number, totals: BulkTotals) => {
    return { items, totals: addTotals({ ...noBulkTotals(), rows: counted }, totals) };
  };
  // An earlier run of the job closed it: the tables have its rows as that run left them.
  const close = job.effect ? await staging.close(input.group).find() : undefined;
  if (close !== undefined) {
    const items = await group.closedItems(close);
    const done = sumOfTotals(items.filter(({ isDone }) => isDone).map(({ totals }) => totals));
    const left = group.notBegun(items).map(({ line }) => {
      return { line, status: "failed", reason: "not_begun" } as const;
    });
    return planned(0, addTotals(done, totalsOf(left, group.ownerOf)));
  }
  const plan = await group.plan();
  return planned(plan.work.length, group.totalsOf(group.skipped(plan)));
}
