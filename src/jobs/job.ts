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

/** A kind of bulk job: all that tells it from the others (docs/inside/architecture.md, "A new bulk job"). */
export interface BulkJob<Row extends object, Result, Options extends object = object, Given = unknown>
  extends Pick<JobKind, "kind" | "file" | "effect"> {
  /** An input row. Its fields are the file's columns; others are ignored, or judged by its `catchall`. */
  readonly row: z.ZodObject;
  /** Columns that name files, whose bytes are frozen with the row. */
  files?(row: Row): readonly string[];
  /** May appear once in a file; null for a row that may repeat. An invalid row comes with its values that are right. */
  unique?(row: Partial<Row>): UniqueValue | null;
  /** Of the frozen rows. Default: the file's. */
  order?(a: Row, b: Row): number;
  /** Completes a file's valid rows in one pass. */
  complete?(): { row(row: Row): Row };
  /** An id of the service: failures name it. */
  owner(row: Row): string;
  /** Names in `secrets` what was read from its `inputs`. */
  readonly secret?: string;
  /** Reads what its `inputs` name, at each start: what no record may show. @throws InputError */
  read?(asked: AskedInputs<Options>, open: OpenGiven): Promise<string | undefined>;
  /** A warning, though no rule is broken; it quotes no value. */
  readonly doubt?: { row?(row: Row): string | undefined; secret?(secret: string): string | undefined };
  /** Checks what the options name on the machine of the command, before anything is read. @throws InputError */
  checkHere?(options: Options, lake: LakePlace): Promise<void>;
  /** Its rows of a run show which of the links in the option `links` were found. */
  readonly linksFoundIn?: TableSpec;
  /** Problems that only the service knows about, before anything starts. */
  check?(api: ApiClient, rows: AsyncIterable<JobRow<Row>>): Promise<RowProblem[]>;
  /** Most rows that are planned and written together. */
  readonly groupRows: number;
  /** Combines rows into items, once per group. Default: one item per row. */
  plan?(context: JobContext<Options>, rows: readonly JobRow<Row>[]): Promise<GroupPlan<Row, Result, Given>>;
  /** May run again after a crash; its calls then return the same answers. */
  work(rows: readonly JobRow<Row>[], caller: Caller<Options, Given>): Promise<Result>;
  /** How a row ends whose item has a result; `at` is its place in the item. Default: it is done. */
  end?(result: Result, at: number): Omit<RowEnd, "line"> | undefined;
  /** Whether the row may have been carried out, so that only `--send-unknown` sends it again. */
  isUnsure?(reason: string): boolean;
  /** For a run that did none of its rows, where the reasons don't say enough. */
  advice?(reasons: readonly string[]): string | undefined;
  /** Query of what failed, where a table says more than the reasons. */
  failedRows?(runId: string): string;
  /** Query of `reason` and `owner` of skipped rows. */
  skippedRows?(runId: string): string;
  /** Query of `name` and `count` of what else the summary counted. */
  countedRows?(runId: string): string;
  /** What the summary counts besides rows; counts of one name add up. */
  counts?(item: EndedItem<Row, Result>): Readonly<Record<string, number>>;
  /** In the order of writing: the one that says *done* last. */
  readonly tables: readonly TableSpec[];
  /** By the table's name. */
  rows(
    context: JobContext<Options>,
    item: EndedItem<Row, Result>,
  ): Readonly<Record<string, readonly TableRow[]>>;
  /**
   * Publishes the whole run before its rows are written to the tables. After a crash it runs again and must find what it
   * has published. Default: rows are written group by group.
   */
  publish?(run: WholeRun<Row, Result, Options>): Promise<Publication>;
}

interface Publication {
  readonly told: Readonly<Record<string, unknown>>;
  /** It must find the same again. Each was done, with one row. */
  readonly refuted: readonly RefutedItem[];
}

interface AskedInputs<Options> {
  readonly options: Options;
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** @throws InputError where the file of an option can't be read */
type OpenGiven = (option: string, path: string) => Promise<Buffer>;

export type AnyJob = BulkJob<object, unknown>;

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
  readonly options: Options;
}

/** Only reads. */
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
  /** What no record may show. */
  readonly secrets: FrozenFile["secrets"];
  readonly given: Given;
  readonly lake: Lake;
  /**
   * Makes one call of the item. Its sealed answer is kept under the name: after a crash the item gets that answer and
   * calls nothing. A lost answer is resolved as docs/reference/api-operations.md says.
   * @throws ApiError, LostAnswerError; whatever `work` does not catch ends or delays its item.
   */
  once<O extends Operation, Answer = ResponseOf<O>>(
    name: string,
    operation: O,
    params: ParamsOf<O>,
    owner?: DataOwner,
    terms?: CallTerms,
  ): Promise<AnsweredCall<Answer>>;
  /** Keeps the JSON object of the answer as it came, with every digit. */
  onceText<O extends Operation>(
    name: string,
    operation: O,
    params: ParamsOf<O>,
    owner?: DataOwner,
  ): Promise<AnsweredCall<string>>;
  /** Its calls share one client token, made when the first needs it. */
  withToken<R>(grant: ClientTokenGrant, use: (caller: Caller) => Promise<R>): Promise<R>;
  /** As frozen. @throws StagingLostError */
  file(line: number, column: string): Promise<SealedStream>;
  /** Requests under this name whose answer was lost. */
  lost(name: string): Promise<number>;
}

export interface PlannedItem<Row, Given = unknown> {
  readonly rows: readonly JobRow<Row>[];
  /** For `work`; kept with the plan. */
  readonly given?: Given;
}

interface GroupPlan<Row, Result, Given> {
  readonly work: readonly PlannedItem<Row, Given>[];
  /** Need no work, such as rows that an earlier run has done. */
  readonly ended: readonly { readonly rows: readonly JobRow<Row>[]; readonly result: Result }[];
}

export interface EndedItem<Row, Result> {
  readonly rows: readonly JobRow<Row>[];
  /** Null for an item that failed. */
  readonly result: Result | null;
  /** Null for an item that did not fail. */
  readonly reason: string | null;
  readonly refused?: RefusedRequest | undefined;
  /** Requests of a failed item that may have reached the service. */
  readonly asked: number;
}

export interface ClosedGroup<Row, Result> {
  readonly number: number;
  /** Numbered as in the group's plan. */
  readonly items: readonly (EndedItem<Row, Result> & { readonly number: number })[];
  /** Rows that `--continue-invalid` let through. */
  readonly invalid: readonly FrozenBulkRow[];
}

export interface WholeRun<Row, Result, Options = object> extends JobContext<Options> {
  /** ISO instant. */
  readonly startedAt: string;
  readonly asker: Asker;
  /** What no record may show. */
  readonly secrets: FrozenFile["secrets"];
  readonly version: string;
  readonly retryOf: string | null;
  /** In the order of the frozen rows; may be called several times. */
  groups(): AsyncIterable<ClosedGroup<Row, Result>>;
}

interface Refusal {
  readonly reason: string;
  /** Undefined where the request broke a rule of its operation and was not sent. */
  readonly refused: RefusedRequest | undefined;
}

/** Undefined for an error that is no refusal. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof UnsendableError) return { reason: `unsendable ${error.rule}`, refused: undefined };
  if (!isRefusal(error)) return undefined;
  const { status = 0, serviceMessage = null } = error;
  const reason = error instanceof NotFoundError ? "not_found" : `refused http_${status}`;
  return { reason, refused: { status, message: serviceMessage } };
}

/** @throws InputError where this version has no such kind */
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
