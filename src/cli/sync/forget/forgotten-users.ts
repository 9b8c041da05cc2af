import { userInfo } from "node:os";
import type { LakePlace } from "../../../domain/lake-address.js";
import { counted } from "../../../domain/words/counted.js";
import { logPrefix } from "../../../lake/delta/delta-path.js";
import { lakeAt } from "../../../lake/lake.js";
import type { ObjectStore } from "../../../lake/store/object-store.js";
import { readAgain } from "../../../lake/sync/forget/forget.js";
import { erasures, FORGOTTEN_NOW } from "../../../lake/tables/erasures.js";
import { rowsOf, withStoreQuery } from "../../lake/query.js";
import type { Terminal } from "../../terminal/terminal.js";

/** Says which users of a roster a sync leaves out because they were forgotten; with `again`, it reads them from now on. */
export async function askForgotten(
  terminal: Terminal,
  { place, store }: { readonly place: LakePlace; readonly store: ObjectStore },
  users: ReadonlySet<string>,
  again: boolean,
): Promise<void> {
  if ((await store.list(logPrefix(erasures.name))).length === 0) return;
  const rows = await withStoreQuery(store, (query) => rowsOf<{ fp_id: string }>(query, FORGOTTEN_NOW), {
    tables: [erasures],
  });
  const named = rows.map(({ fp_id }) => fp_id).filter((fpId) => users.has(fpId));
  if (named.length === 0) return;
  const who = counted(named.length, "user of the roster was", "users of the roster were");
  if (!again) {
    terminal.say(`${who} forgotten and will not be read; --again reads them`);
    return;
  }
  const lake = lakeAt(place);
  try {
    await readAgain(lake, named, { by: userInfo().username, reason: "sync --again" });
  } finally {
    await lake.close();
  }
  terminal.say(`${who} forgotten; from now on, syncs read them again`);
}
