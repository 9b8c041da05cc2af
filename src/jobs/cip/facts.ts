import type { KeyObject } from "node:crypto";
import type { Sealer } from "../../domain/sealer.js";
import type { RetentionRules } from "../../domain/tables/retention.js";
import type { ReadManifest } from "../../lake/bulk/pack/manifest.js";
import type { LakeReader } from "../../lake/query/query-views.js";

/** What a pack says of the export that it is of; what its manifest has under `facts`, by the names that it has there. */
export interface PackFacts {
  /** Who ran the command. */
  readonly operator: string;
  readonly host: string;
  /** Whose customers these are, as `nightledger.yaml` says. */
  readonly institution?: string | undefined;
  /** For how long that keeps records. */
  readonly retention?: RetentionRules | undefined;
  readonly version: string;
  /** `default_approver` of every request: the name that means an automatic approval. */
  readonly approver: string;
  readonly service_url: string;
  /** Of the key: `test` or `live`; null where it does not say. */
  readonly service_mode: string | null;
  readonly key_fingerprint: string;
  /** ISO instants. */
  readonly started_at: string;
  readonly finished_at: string;
  /** The lake's newest root before this export; null where there is none. */
  readonly lake_root: string | null;
  /** Whether the report and CSV files show tax ids, birth dates, addresses and IP addresses. */
  readonly unmasked: boolean;
  /** Why it was made; never null where it is unmasked. */
  readonly reason: string | null;
  readonly exportId: string;
  /** As `populationOf` gave it before the first call. */
  readonly population: { readonly rows: number; readonly sha256: string };
  /** Ed25519. */
  readonly signKey?: KeyObject | undefined;
  /** The pack before this one. */
  readonly previous: Pick<ReadManifest, "manifest" | "sha256"> | null;
  /** Id of the export that this one corrects. */
  readonly amends: string | null;
}

export interface PackTools {
  readonly lake: LakeReader;
  readonly sealer: Sealer;
}
