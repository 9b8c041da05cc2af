import type { z } from "zod";
import type { ApiClient } from "../api/http/client.js";
import type { Operation, ParamsOf, ResponseOf } from "../api/operations/operation.js";
import type { Asker, BulkOptions } from "../domain/bulk/bulk-job.js";
import type { RowEnd } from "../domain/bulk/frozen-row.js";
import type { AnsweredCall } from "../domain/calls/answered-call.js";
import type { RefusedRequest } from "../domain/refusals.js";
import type { RowProblem } from "../domain/row-problem.js";
import type { Sealer } from "../domain/sealer.js";
import type { TableSpec } from "../lake/delta/delta-schema.js";
import type { Lake } from "../lake/lake.js";

/** A right row of the input file. */
export interface JobRow<Row> {
  /** Line of the input file. */
  readonly line: number;
  readonly row: Row;
}

/** What a kind of job is given besides its rows. */
export interface JobPlace {
  readonly runId: string;
  readonly lake: Lake;
  readonly sealer: Sealer;
  readonly options: BulkOptions;
}

/** How an item makes its calls. */
export interface Caller {
  readonly options: BulkOptions;
  /**
   * Makes one call of the item. Its answer is kept, sealed, under the name: an item that is worked on again after a
   * crash gets it and calls nothing, and a lost answer is settled as docs/reference/api-operations.md says of the operation. Give
   * `Answer` where what is kept is not the parsed body.
   *
   * @throws ApiError, LostAnswerError; whatever `work` does not catch ends or delays its item.
   */
  once<O extends Operation, Answer = ResponseOf<O>>(
    name: string,
    operation: O,
    params: ParamsOf<O>,
    owner?: { readonly fp_id: string; readonly decrypt_reason?: string },
  ): Promise<AnsweredCall<Answer>>;
  /** Requests of the call of this name whose answer was lost. */
  lost(name: string): Promise<number>;
}

/** Rows that are worked on together, such as those of one request. */
export interface PlannedItem<Row> {
  readonly rows: readonly JobRow<Row>[];
}

/** How the rows of a group are to be worked on. */
interface GroupPlan<Row, Result> {
  readonly work: readonly PlannedItem<Row>[];
  /** Items that need no work, such as rows that an earlier run has done. */
  readonly ended: readonly (PlannedItem<Row> & { readonly result: Result })[];
}

/** What is known of an item once its group is closed. */
export interface EndedItem<Row, Result> {
  readonly rows: readonly JobRow<Row>[];
  /** What `work` gave; null where it came to no end. */
  readonly result: Result | null;
  /** Why it failed; null where it did not. */
  readonly reason: string | null;
  /** The request that the service refused, where it failed by that. */
  readonly refused?: RefusedRequest | undefined;
  /** Requests of it that may have reached the service. */
  readonly asked: number;
}

/** A row that an option of the command lets through although it is wrong. */
export interface InvalidRow {
  readonly line: number;
  /** Whose row it is, as it says itself. */
  readonly owner?: string;
  readonly problems: readonly RowProblem[];
}

/** What a closed group holds, for a kind that publishes everything at once. */
export interface ClosedGroup<Row, Result> {
  readonly items: readonly EndedItem<Row, Result>[];
  readonly invalid: readonly InvalidRow[];
}

/** A whole run, for a kind that publishes everything at once. */
export interface PackPlace<Row, Result> extends JobPlace {
  /** ISO instant at which the run was asked for. */
  readonly startedAt: string;
  /** Hex, of the frozen rows, and how many there are. */
  readonly rows: { readonly sha256: string; readonly total: number };
  readonly asker: Asker;
  /** What the command was given that no record may say. */
  readonly secrets: Readonly<Record<string, string | null>>;
  /** Of the program. */
  readonly version: string;
  /** Ends what runs beside. */
  readonly signal: AbortSignal;
  /** Run whose failed rows this one tries again. */
  readonly retryOf: string | null;
  /** The groups in the file's order; may be gone through several times, and each is read when its turn comes. */
  groups(): AsyncIterable<ClosedGroup<Row, Result>>;
}

/** What a kind of job looks at before anything starts. */
export interface CheckPlace {
  readonly api: ApiClient;
}

/**
 * A kind of bulk job: rows of a file, calls for each, rows of tables, one outcome for each row. Everything that two
 * kinds would share is the engine's (docs/inside/architecture.md, "A new bulk job").
 */
export interface BulkJob<Row extends object, Result> {
  /** Names the job in run ids, `runs` and summaries. */
  readonly kind: string;
  /** What messages call the input file. */
  readonly file: { readonly name: string; readonly option: string };
  /** An input row; its fields are the file's columns, and unknown columns are ignored. */
  readonly row: z.ZodObject;
  /** What must not be twice in a file, and the column that a message names; null for a row that may be repeated. */
  unique?(row: Row): { readonly column: string; readonly value: string } | null;
  /** Puts rows in the order in which they are frozen; left out: the file's. */
  order?(a: Row, b: Row): number;
  /** Completes the rows of a file, in order, once all of them are judged. */
  complete?(): { row(row: Row): Row };
  /** Whose row it is, by an id of the service: what failures name. */
  owner(row: Row): string;
  /** What only the service can tell of rows; asked before anything starts. */
  check?(place: CheckPlace, rows: AsyncIterable<JobRow<Row>>): Promise<RowProblem[]>;
  /** Whether its calls change something: then the same rows are one job for ever, and nothing is done twice. */
  readonly effect: boolean;
  /** Rows of one group: what is planned, and written, at once. */
  readonly groupRows: number;
  /** How rows become items; left out: each is one. Asked once for each group, and kept. */
  plan?(place: JobPlace, rows: readonly JobRow<Row>[]): Promise<GroupPlan<Row, Result>>;
  /** Makes the calls of an item; may be repeated after a crash, and then meets the same answers. */
  work(item: PlannedItem<Row>, caller: Caller): Promise<Result>;
  /** What became of the rows of an item. */
  ends(item: EndedItem<Row, Result>): readonly RowEnd[];
  /** The tables that it appends to, in the order in which they are written: the one that says *done* last. */
  readonly tables: readonly TableSpec[];
  /** The rows of each table, by its name, that an item leaves. */
  rows(
    place: JobPlace,
    item: EndedItem<Row, Result>,
  ): Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  /**
   * Publishes the whole run at once, before its rows come into the tables; what it tells stands in the summary.
   * Repeated after a crash: it must find what it has published. Left out: groups are written one by one.
   */
  pack?(place: PackPlace<Row, Result>): Promise<Readonly<Record<string, unknown>>>;
}

/** A kind whatever its rows and results are: what the engine works with. */
export type AnyJob = BulkJob<object, unknown>;
