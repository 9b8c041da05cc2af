import type { KeyObject } from "node:crypto";
import type { Sealer } from "../../domain/sealer.js";
import type { RetentionRules } from "../../domain/tables/retention.js";
import type { ReadManifest } from "../../lake/bulk/pack/manifest.js";
import type { LakeReader } from "../../lake/query/query-views.js";

/** What a manifest has under `facts`. */
export interface PackFacts {
  readonly operator: string;
  readonly host: string;
  /** By `nightledger.yaml`. */
  readonly institution?: string | undefined;
  /** Of the institution. */
  readonly retention?: RetentionRules | undefined;
  readonly version: string;
  /** `default_approver` of every request: it means an automatic approval. */
  readonly approver: string;
  readonly service_url: string;
  /** `test` or `live`, by the key; null for unknown. */
  readonly service_mode: string | null;
  readonly key_fingerprint: string;
  /** ISO instants. */
  readonly started_at: string;
  readonly finished_at: string;
  /** Before this export; null for none. */
  readonly lake_root: string | null;
  /** Shows tax ids, birth dates, addresses and IP addresses. */
  readonly unmasked: boolean;
  /** Never null where it is unmasked. */
  readonly reason: string | null;
  readonly exportId: string;
  /** By `populationOf`, before the first call. */
  readonly population: { readonly rows: number; readonly sha256: string };
  /** Ed25519. */
  readonly signKey?: KeyObject | undefined;
  readonly previous: Pick<ReadManifest, "manifest" | "sha256"> | null;
  /** The export that this one corrects. */
  readonly amends: string | null;
}

export interface PackTools {
  readonly lake: LakeReader;
  readonly sealer: Sealer;
}
