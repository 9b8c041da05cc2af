import type { Forecast } from "../../../domain/runs/forecast.js";

/** What a job would do now: the forecast, and what it would leave out. */
export interface PlannedJob {
  readonly forecast: Forecast;
  /** Users, rows or customers of the file. */
  readonly rows: number;
  /** Rows that an earlier run has done, or that need no work. */
  readonly done: number;
  readonly invalid: number;
  readonly skipped: readonly { readonly reason: string; readonly count: number }[];
}

/** Reads the lake. */
export type RowsOf = <Row>(sql: string) => Promise<Row[]>;
