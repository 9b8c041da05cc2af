import type { FrozenBulkRow } from "../../domain/bulk/frozen-row.js";
import { BulkStaging } from "../../lake/bulk/bulk-staging.js";
import { SealedRows } from "../../lake/store/sealed-rows.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";

/** What a bulk job keeps in the staging area of a lake. */
export function openBulkStaging(sealed: SealedStore, id: string): BulkStaging {
  return new BulkStaging(sealed, new SealedRows<FrozenBulkRow>(sealed), id);
}
