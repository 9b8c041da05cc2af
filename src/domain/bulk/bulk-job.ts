import type { RefusedRequest } from "../refusals.js";
import { type JudgedRow, problemCodes } from "../row-problem.js";
import type { NewRun } from "../run.js";
import type { RetentionRules } from "../tables/retention.js";

/** The options of a bulk job, as its kind declares them: part of its identity. The table `runs` shows them. */
export type BulkOptions = Readonly<Record<string, BulkOption>>;

type BulkOption = string | number | boolean | null | undefined | readonly string[];

/** The text whose sha256 names a job: commands with the same rows and options are the same job. */
export function bulkJobText(kind: string, rowsSha256: string, options: BulkOptions): string {
  const sorted = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify({ kind, rows: rowsSha256, options: Object.fromEntries(sorted) });
}

/** `bulk/<scope>/<kind>-<hash of the job>` */
export function bulkWorkflowId(scope: string, kind: string, jobSha256: string): string {
  return `bulk/${scope}/${kind}-${jobSha256.slice(0, 16)}`;
}

/** Who asked for a job, where, and of which service: what its records say of it. */
export interface Asker {
  /** Name of the user of the operating system. */
  readonly operator: string;
  readonly host: string;
  /** For whom, as the settings there say. */
  readonly institution?: string | undefined;
  /** For how long that keeps records. */
  readonly retention?: RetentionRules;
  readonly service: string;
  /** Of the key; null where the key does not say. */
  readonly mode: "test" | "live" | null;
  /** Tells one key of the service from another and reveals nothing else. */
  readonly keyFingerprint: string;
}

/** A kind as messages name it: `vault write`. */
export function kindWords(kind: string): string {
  return kind.replaceAll("_", " ");
}

/** The command that continues a run of a kind with an effect. */
export function continueCommand(kind: string): string {
  return `nightledger ${kind === "vault_write" ? "vault" : kind} continue`;
}

export interface BulkRun {
  readonly runId: string;
  readonly kind: string;
  /** Names the staging (`lake/bulk/bulk-staging.ts`). */
  readonly staging: string;
}

export interface StartedBulk extends BulkRun, NewRun {
  readonly jobId: string;
  readonly rows: number;
  /** Groups that the frozen rows make. */
  readonly groups: number;
  /** Whether the run is published as a whole. */
  readonly packs: boolean;
}

/** A row of a bulk job's file as it is frozen: what it says, or what is wrong with it. */
export interface FrozenBulkRow<Row extends object = object> extends JudgedRow<Row> {
  /** What an earlier run brought it to: this run publishes it again and does not work on it. */
  readonly result?: unknown;
}

/** The line of a row in the text whose sha256 names the rows of a job. */
export function frozenLine(row: FrozenBulkRow): string {
  return `${JSON.stringify({ ...row, problems: problemCodes(row.problems) })}\n`;
}

export interface FailedItem {
  readonly item: number;
  readonly reason: string;
  readonly refused?: RefusedRequest;
}

/** An item that failed once the whole run was seen. */
export interface RefutedItem extends FailedItem {
  readonly group: number;
}

export interface RowEnd {
  readonly line: number;
  readonly status: "done" | "failed" | "skipped";
  readonly reason: string | null;
  readonly refused?: RefusedRequest | undefined;
}
