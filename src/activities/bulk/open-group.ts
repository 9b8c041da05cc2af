import type { BulkRun } from "../../domain/bulk/bulk-job.js";
import { type BulkTotals, totalsOf } from "../../domain/bulk/bulk-totals.js";
import type { FrozenBulkRow, RowEnd } from "../../domain/bulk/frozen-row.js";
import type { AnyJob, EndedItem, JobRow } from "../../jobs/job.js";
import type { StagedClose, StagedPlan } from "../../lake/bulk/bulk-staging.js";
import { requestsSent } from "../calls/call-record.js";
import { type BulkDependencies, type OpenRun, openRun } from "./dependencies.js";

/** One group of a run: `groupRows` rows of its file. */
export interface BulkGroup extends BulkRun {
  readonly group: number;
}

type AnyItem = EndedItem<object, unknown>;

/** Opens a group and reads its rows. @throws StagingLostError when they are gone. */
export async function openGroup(deps: BulkDependencies, input: BulkGroup): Promise<OpenGroup> {
  const run = openRun(deps, input);
  const from = input.group * run.job.groupRows;
  const rows = await run.staging.rows(from, from + run.job.groupRows);
  return new OpenGroup(deps, run, input.group, rows);
}

/** A group as its activities see it. All that is staged of it names rows by their lines. */
class OpenGroup {
  readonly #byLine: ReadonlyMap<number, FrozenBulkRow>;

  constructor(
    private readonly deps: BulkDependencies,
    readonly run: OpenRun,
    private readonly group: number,
    /** Invalid ones among them. */
    readonly rows: readonly FrozenBulkRow[],
  ) {
    this.#byLine = new Map(rows.map((row) => [row.line, row]));
  }

  /** Names the owner of a line's row by an id of the service. */
  readonly owner = (line: number): string => {
    const row = this.#byLine.get(line)?.row ?? null;
    return row === null ? "" : this.run.job.owner(row);
  };

  totalsOf(ends: readonly RowEnd[]): BulkTotals {
    return totalsOf(ends, this.owner);
  }

  /** The plan of the group; of several attempts the first that was kept counts. */
  async plan(): Promise<StagedPlan> {
    const { job, staging, context } = this.run;
    const kept = staging.plan(this.group);
    const found = await kept.find();
    if (found !== undefined) return found;
    const done = this.rows.filter(({ result }) => result !== undefined);
    const open = validRows(this.rows.filter(({ result }) => result === undefined));
    const planned = await job.plan?.(await context(), open);
    return kept.keep({
      work: (planned?.work ?? open.map((row) => [row])).map(linesOf),
      ended: [
        ...(planned?.ended ?? []).map(({ rows, result }) => ({ lines: linesOf(rows), result })),
        ...done.map(({ line, result }) => ({ lines: [line], result })),
      ],
    });
  }

  /** The rows of each item that is worked on. @throws StagingLostError when the plan is gone. */
  async work(): Promise<JobRow<object>[][]> {
    return (await this.run.staging.plan(this.group).require()).work.map((lines) => this.#rowsAt(lines));
  }

  skipped({ ended }: StagedPlan): AnyItem[] {
    return ended.map(({ lines, result }) => ({ rows: this.#rowsAt(lines), result, reason: null, asked: 0 }));
  }

  /** Every item that had ended when the group was closed. An item that was never begun leaves no rows. */
  async ended(close: StagedClose): Promise<AnyItem[]> {
    const { staging } = this.run;
    const results = new Map<number, unknown>();
    for (const name of close.results) {
      for (const { item, result } of await staging.results(name)) results.set(item, result);
    }
    const failed = new Map(close.failed.map((one) => [one.item, one]));
    const items: AnyItem[] = [];
    for (const [item, rows] of (await this.work()).entries()) {
      const result = results.get(item) ?? null;
      if (result !== null) {
        items.push({ rows, result, reason: null, asked: 0 });
        continue;
      }
      const failure = failed.get(item);
      const asked = await requestsSent(this.deps.sealed, staging.itemPrefix(this.group, item));
      // A stopped run leaves items for which no request was sent.
      if (failure === undefined && asked === 0) continue;
      const { reason = "interrupted", refused } = failure ?? {};
      items.push({ rows, result, reason, refused, asked });
    }
    return [...items, ...this.skipped(await staging.plan(this.group).require())];
  }

  /** The valid rows of the closed group whose items have not ended, because the run that closed it was stopped. */
  notBegun(items: readonly AnyItem[]): FrozenBulkRow[] {
    const ended = new Set(items.flatMap(({ rows }) => linesOf(rows)));
    return this.rows.filter(({ line, row }) => row !== null && !ended.has(line));
  }

  #rowsAt(lines: readonly number[]): JobRow<object>[] {
    return validRows(lines.flatMap((line) => this.#byLine.get(line) ?? []));
  }
}

/** What became of the rows of an item. */
export function endsOf(job: AnyJob, { rows, result, reason, refused }: AnyItem): readonly RowEnd[] {
  if (result === null) return rows.map(({ line }) => ({ line, status: "failed", reason, refused }));
  return job.ends?.(rows, result) ?? rows.map(({ line }) => ({ line, status: "done", reason: null }));
}

function validRows(rows: readonly FrozenBulkRow[]): JobRow<object>[] {
  return rows.flatMap(({ line, row }) => (row === null ? [] : [{ line, row }]));
}

function linesOf(rows: readonly JobRow<object>[]): number[] {
  return rows.map(({ line }) => line);
}
