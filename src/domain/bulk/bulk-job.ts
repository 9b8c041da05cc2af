import type { RefusedRequest } from "../refusals.js";
import { type JudgedRow, problemCodes } from "../row-problem.js";
import type { NewRun } from "../run.js";
import type { RetentionRules } from "../tables/retention.js";

/** Part of a job's identity; the table `runs` shows them. */
export type BulkOptions = Readonly<Record<string, BulkOption>>;

type BulkOption = string | number | boolean | null | undefined | readonly string[];

/** Its sha256 names a job: the same rows and options are the same job. */
export function bulkJobText(kind: string, rowsSha256: string, options: BulkOptions): string {
  const sorted = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify({ kind, rows: rowsSha256, options: Object.fromEntries(sorted) });
}

/** `bulk/<scope>/<kind>-<hash of the job>` */
export function bulkWorkflowId(scope: string, kind: string, jobSha256: string): string {
  return `bulk/${scope}/${kind}-${jobSha256.slice(0, 16)}`;
}

/** Who started a job, for its records. */
export interface Asker {
  /** The operating system's user. */
  readonly operator: string;
  readonly host: string;
  /** By the settings. */
  readonly institution?: string | undefined;
  /** Of the institution's records. */
  readonly retention?: RetentionRules;
  readonly service: string;
  /** Null where the key does not say. */
  readonly mode: "test" | "live" | null;
  /** Tells keys apart and reveals nothing else. */
  readonly keyFingerprint: string;
}

/** `vault write`. */
export function kindWords(kind: string): string {
  return kind.replaceAll("_", " ");
}

export function continueCommand(kind: string): string {
  return `nightledger ${kind === "vault_write" ? "vault" : kind} continue`;
}

export interface BulkRun {
  readonly runId: string;
  readonly kind: string;
  /** `lake/bulk/bulk-staging.ts`. */
  readonly staging: string;
}

export interface StartedBulk extends BulkRun, NewRun {
  readonly jobId: string;
  readonly rows: number;
  readonly groups: number;
  /** Published as a whole. */
  readonly packs: boolean;
}

/** A frozen row, or what is wrong with it. */
export interface FrozenBulkRow<Row extends object = object> extends JudgedRow<Row> {
  /** An earlier run's, which this run publishes again. */
  readonly result?: unknown;
}

/** In the text whose sha256 names a job's rows. */
export function frozenLine(row: FrozenBulkRow): string {
  return `${JSON.stringify({ ...row, problems: problemCodes(row.problems) })}\n`;
}

export interface FailedItem {
  readonly item: number;
  readonly reason: string;
  readonly refused?: RefusedRequest;
}

/** It failed by the whole run. */
export interface RefutedItem extends FailedItem {
  readonly group: number;
}

export interface RowEnd {
  readonly line: number;
  readonly status: "done" | "failed" | "skipped";
  readonly reason: string | null;
  readonly refused?: RefusedRequest | undefined;
}
