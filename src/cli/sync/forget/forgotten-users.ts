import { userInfo } from "node:os";
import type { LakePlace } from "../../../domain/lake-address.js";
import { counted } from "../../../domain/words/counted.js";
import { lakeAt } from "../../../lake/lake.js";
import type { ObjectStore } from "../../../lake/store/object-store.js";
import { readAgain } from "../../../lake/sync/forget/forget.js";
import { isForgotten } from "../../../lake/sync/forget/forgotten.js";
import { transactionChanges } from "../../../lake/tables/transactions.js";
import { withLakeReader } from "../../lake/reader.js";
import type { Terminal } from "../../terminal/terminal.js";

/** Says which forgotten users a sync leaves out; with `again`, syncs read them from now on. */
export async function askForgotten(
  terminal: Terminal,
  { place, store }: { readonly place: LakePlace; readonly store: ObjectStore },
  users: ReadonlySet<string>,
  again: boolean,
): Promise<void> {
  // The feed, as slices ask it: `erasures` is written last.
  const named = await withLakeReader(store, async (lake) => {
    const feed = await lake.table(transactionChanges.name).snapshot();
    return [...users].filter((fpId) => isForgotten(feed, fpId));
  });
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
