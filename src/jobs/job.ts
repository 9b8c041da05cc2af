import type { z } from "zod";
import type { UserRow } from "../api/file-fields.js";
import type { ApiClient } from "../api/http/client.js";
import { isRefusal, NotFoundError } from "../api/http/errors.js";
import type { Operation, ParamsOf, ResponseOf } from "../api/operations/operation.js";
import type { Asker, FrozenBulkRow, RefutedItem, RowEnd } from "../domain/bulk/bulk-job.js";
import type { AnsweredCall, CallTerms, DataOwner } from "../domain/calls/answered-call.js";
import { InputError, UnsendableError } from "../domain/failures.js";
import type { LakePlace } from "../domain/lake-address.js";
import type { RefusedRequest } from "../domain/refusals.js";
import { type RowProblem, type UniqueValue, uniqueIn } from "../domain/row-problem.js";
import type { Sealer } from "../domain/sealer.js";
import type { ClientTokenGrant } from "../domain/service/client-token-grant.js";
import type { FrozenFile } from "../lake/bulk/bulk-staging.js";
import type { TableSpec } from "../lake/delta/delta-schema.js";
import type { Lake } from "../lake/lake.js";
import type { SealedStream } from "../lake/store/sealed-store.js";
import type { JobKind } from "./kind.js";

/**
 * A kind of bulk job: rows of a file, calls for each, rows of tables, one outcome per row. This is all that a kind
 * declares; the engine does everything that two kinds would share (docs/inside/architecture.md, "A new bulk job").
 */
export interface BulkJob<Row extends object, Result, Options extends object = object, Given = unknown>
  extends Pick<JobKind, "kind" | "file" | "effect"> {
  /** An input row. Its fields are the file's columns; others are ignored, or judged by its `catchall`. */
  readonly row: z.ZodObject;
  /** The columns of a row that name files: their bytes are frozen with the row. Default: none. */
  files?(row: Row): readonly string[];
  /**
   * The value that may appear only once in a file, and the column to blame; null for a row that may repeat. An invalid row
   * comes with those of its values that are right.
   */
  unique?(row: Partial<Row>): UniqueValue | null;
  /** Sorts the frozen rows. Default: the file's order. */
  order?(a: Row, b: Row): number;
  /** Starts a pass over a file's valid rows that completes them in order. */
  complete?(): { row(row: Row): Row };
  /** Whose row it is, by an id of the service: failures name it. */
  owner(row: Row): string;
  /** The name under which `secrets` has what was read from its `inputs`. Default: it has none. */
  readonly secret?: string;
  /**
   * Reads what its `inputs` name, each time that a run of the job is asked for: what no record may show; undefined where
   * none was given. @throws InputError
   */
  read?(asked: AskedInputs<Options>, open: OpenGiven): Promise<string | undefined>;
  /** What to warn of, though no rule is broken; it quotes no value. */
  readonly doubt?: { row?(row: Row): string | undefined; secret?(secret: string): string | undefined };
  /**
   * Checks on the machine of the command what the options name there, before anything is read.
   *
   * @throws InputError
   */
  checkHere?(options: Options, lake: LakePlace): Promise<void>;
  /** The table whose rows of a run show which of the links in the option `links` it found. */
  readonly linksFoundIn?: TableSpec;
  /** Finds problems that only the service knows about, before anything starts. */
  check?(api: ApiClient, rows: AsyncIterable<JobRow<Row>>): Promise<RowProblem[]>;
  /** Most rows that are planned, and written, together; fewer where they are long. */
  readonly groupRows: number;
  /** Combines the rows of a group into items. Asked once per group. Default: one item per row. */
  plan?(context: JobContext<Options>, rows: readonly JobRow<Row>[]): Promise<GroupPlan<Row, Result, Given>>;
  /** Makes the calls of an item. It may run again after a crash; its calls then return the same answers. */
  work(rows: readonly JobRow<Row>[], caller: Caller<Options, Given>): Promise<Result>;
  /**
   * How a row ends whose item has a result; `at` is its place in the item. Undefined, and the default: it is done. The
   * rows of an item without a result have failed.
   */
  end?(result: Result, at: number): Omit<RowEnd, "line"> | undefined;
  /**
   * Whether a row that failed for this reason may have been carried out, so that only `--send-unknown` sends it again.
   * Left out by a kind without such rows: it has no `--send-unknown`.
   */
  isUnsure?(reason: string): boolean;
  /** What to say of a run that did none of its rows, by the reasons; undefined where these say enough. */
  advice?(reasons: readonly string[]): string | undefined;
  /** The query that shows what failed in a run, where a table says more than the reasons. */
  failedRows?(runId: string): string;
  /** The query of the rows that a run skipped: `reason` and `owner` of each. */
  skippedRows?(runId: string): string;
  /** The query of what the summary of a run counted besides rows: `name` and `count` of each. */
  countedRows?(runId: string): string;
  /** What the summary counts of an item besides rows, by name; counts of one name add up. Default: nothing. */
  counts?(item: EndedItem<Row, Result>): Readonly<Record<string, number>>;
  /** The tables that it appends to, in the order of writing: the one that says *done* last. */
  readonly tables: readonly TableSpec[];
  /** The rows that an item adds to each table, by the table's name. */
  rows(
    context: JobContext<Options>,
    item: EndedItem<Row, Result>,
  ): Readonly<Record<string, readonly TableRow[]>>;
  /**
   * Publishes the whole run at once, before its rows are written to the tables. It may run again after a crash and must
   * then find what it has published. Default: nothing is published, and rows are written group by group.
   */
  publish?(run: WholeRun<Row, Result, Options>): Promise<Publication>;
}

interface Publication {
  readonly told: Readonly<Record<string, unknown>>;
  /** Items that the whole run refutes; it must find the same again. Each was done, with one row. */
  readonly refuted: readonly RefutedItem[];
}

interface AskedInputs<Options> {
  readonly options: Options;
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** Reads a file that an option names. @throws InputError where it can't be read. */
type OpenGiven = (option: string, path: string) => Promise<Buffer>;

export type AnyJob = BulkJob<object, unknown>;

/** A valid row of the input file, with its line. */
export interface JobRow<Row> {
  readonly line: number;
  readonly row: Row;
  readonly files?: FrozenBulkRow["files"];
}

type TableRow = Readonly<Record<string, unknown>>;

export interface JobContext<Options = object> {
  readonly runId: string;
  readonly lake: Lake;
  readonly sealer: Sealer;
  /** As the kind's declaration makes them of the command line. */
  readonly options: Options;
}

/** Plans the rows of a group as their job does, or one item a row. Only reads. */
export async function planOf(
  job: AnyJob,
  context: JobContext,
  rows: readonly JobRow<object>[],
): Promise<GroupPlan<object, unknown, unknown>> {
  return (await job.plan?.(context, rows)) ?? { work: rows.map(itemOf), ended: [] };
}

export function itemOf<Row>(row: JobRow<Row>): PlannedItem<Row, never> {
  return { rows: [row] };
}

export interface Caller<Options = object, Given = unknown> {
  readonly options: Options;
  /** What the command was given that no record may show. */
  readonly secrets: FrozenFile["secrets"];
  readonly given: Given;
  /** For reading what the plan could not know. */
  readonly lake: Lake;
  /**
   * Makes one call of the item. The sealed answer is kept under the name: when the item runs again after a crash, it
   * gets that answer and calls nothing. A lost answer is resolved as docs/reference/api-operations.md says of the
   * operation. Give `Answer` where what is kept is not the parsed body.
   *
   * @throws ApiError, LostAnswerError; whatever `work` does not catch ends or delays its item.
   */
  once<O extends Operation, Answer = ResponseOf<O>>(
    name: string,
    operation: O,
    params: ParamsOf<O>,
    owner?: DataOwner,
    terms?: CallTerms,
  ): Promise<AnsweredCall<Answer>>;
  /** Makes a call as {@link once} does, and keeps the JSON object of its answer as it came, with every digit. */
  onceText<O extends Operation>(
    name: string,
    operation: O,
    params: ParamsOf<O>,
    owner?: DataOwner,
  ): Promise<AnsweredCall<string>>;
  /** Gives a caller whose calls share one client token; it is made when the first of them needs it. */
  withToken<R>(grant: ClientTokenGrant, use: (caller: Caller) => Promise<R>): Promise<R>;
  /** The bytes of a file that a row names, as they were frozen. @throws StagingLostError when they are gone. */
  file(line: number, column: string): Promise<SealedStream>;
  /** The number of requests under this name whose answer was lost. */
  lost(name: string): Promise<number>;
}

export interface PlannedItem<Row, Given = unknown> {
  readonly rows: readonly JobRow<Row>[];
  /** What `work` is given for them; it is kept with the plan. */
  readonly given?: Given;
}

interface GroupPlan<Row, Result, Given> {
  readonly work: readonly PlannedItem<Row, Given>[];
  /** Items that need no work, such as rows that an earlier run has done. */
  readonly ended: readonly { readonly rows: readonly JobRow<Row>[]; readonly result: Result }[];
}

/** What is known of an item once its group is closed. */
export interface EndedItem<Row, Result> {
  readonly rows: readonly JobRow<Row>[];
  /** What `work` returned; null for an item that failed. */
  readonly result: Result | null;
  /** Why it failed; null for one that did not. */
  readonly reason: string | null;
  /** The request that the service refused, where that made it fail. */
  readonly refused?: RefusedRequest | undefined;
  /** Requests of a failed item that may have reached the service. */
  readonly asked: number;
}

export interface ClosedGroup<Row, Result> {
  readonly number: number;
  /** Each with its number in the group's plan. */
  readonly items: readonly (EndedItem<Row, Result> & { readonly number: number })[];
  /** Invalid rows that an option of the command let through. */
  readonly invalid: readonly FrozenBulkRow[];
}

export interface WholeRun<Row, Result, Options = object> extends JobContext<Options> {
  /** ISO instant at which the run was asked for. */
  readonly startedAt: string;
  readonly asker: Asker;
  /** What the command was given that no record may show. */
  readonly secrets: FrozenFile["secrets"];
  readonly version: string;
  /** The run whose failed rows this one tries again. */
  readonly retryOf: string | null;
  /** Reads the groups one by one, in the order of the frozen rows; may be called several times. */
  groups(): AsyncIterable<ClosedGroup<Row, Result>>;
}

interface Refusal {
  readonly reason: string;
  /** Undefined where the request broke a rule of its operation, so that it was not sent. */
  readonly refused: RefusedRequest | undefined;
}

/** Why a call was refused, by the service or before it was sent; undefined for an error of another kind. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof UnsendableError) return { reason: `unsendable ${error.rule}`, refused: undefined };
  if (!isRefusal(error)) return undefined;
  const { status = 0, serviceMessage = null } = error;
  const reason = error instanceof NotFoundError ? "not_found" : `refused http_${status}`;
  return { reason, refused: { status, message: serviceMessage } };
}

/** The declaration of a kind among those of this version. @throws InputError when this version has none. */
export function jobOfKind(kind: string, jobs: readonly AnyJob[]): AnyJob {
  const job = jobs.find((one) => one.kind === kind);
  if (job === undefined)
    throw new InputError(
      `this version does not know the bulk job "${kind}". Nothing was done. Update nightledger where the worker runs.`,
    );
  return job;
}

export const rowPerUser = {
  unique: uniqueIn("fp_id"),
  owner: ({ fp_id }: UserRow) => fp_id,
};
