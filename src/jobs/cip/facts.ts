import type { KeyObject } from "node:crypto";
import type { SampleSizes } from "../../domain/bulk/cip/sample.js";
import type { Sealer } from "../../domain/sealer.js";
import type { DuckDb } from "../../lake/sql/duckdb.js";

/** What a pack says of the export that it is of. */
export interface PackFacts {
  readonly exportId: string;
  /** Who ran the command. */
  readonly operator: string;
  readonly host: string;
  readonly version: string;
  /** `default_approver` of every request: the name that stands for automatic approvals. */
  readonly approver: string;
  readonly serviceUrl: string;
  /** Of the key: `test` or `live`, where it says so. */
  readonly serviceMode: string | null;
  readonly keyFingerprint: string;
  /** ISO instants. */
  readonly startedAt: string;
  readonly finishedAt: string;
  /** As `populationOf` gave it before the first call. */
  readonly population: { readonly rows: number; readonly sha256: string };
  /** Whether pages and CSV files show tax ids, birth dates, addresses and IP addresses. */
  readonly unmasked: boolean;
  /** Why it was made; always there where it is unmasked. */
  readonly reason: string | null;
  /** Ed25519. */
  readonly signKey?: KeyObject | undefined;
  /** Directory of the pack before this one. */
  readonly previous: string | null;
  /** Id of the export that this one corrects. */
  readonly amends: string | null;
  readonly sample: SampleSizes & { readonly seed: string };
}

/** What a pack is written with. */
export interface PackTools {
  readonly duckdb: DuckDb;
  readonly sealer: Sealer;
  /** Ends what runs beside, such as a browser. */
  readonly signal?: AbortSignal | undefined;
  /** A Chromium to print `report.pdf` with; undefined to look for one, null for none. */
  readonly chromium?: string | null | undefined;
}
