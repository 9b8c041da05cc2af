import { readConfig } from "../../config.js";
import { InputError } from "../../domain/failures.js";
import { counted } from "../../domain/words/counted.js";
import { bytesWords, labelledLines } from "../../domain/words/texts.js";
import type { TakenFolder } from "../../lake/copy/lake-parts.js";
import { findSnapshot, restoreSnapshot } from "../../lake/copy/restore-snapshot.js";
import { keepNewest, readSnapshot, type SnapshotManifest, snapshotKeys } from "../../lake/copy/snapshot.js";
import { takeSnapshot } from "../../lake/copy/take-snapshot.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { openStore } from "../../lake/store/open-store.js";
import { showResult } from "../terminal/colours.js";
import type { Terminal } from "../terminal/terminal.js";
import { existingLake, placeAt, withUncopied } from "./query.js";
import { showRows } from "./row-table.js";

interface SnapshotFlags {
  readonly keep?: number;
  readonly list?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

interface RestoreFlags {
  readonly root?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Takes a snapshot of the configured lake, or shows those that are there. @throws InputError */
export async function runSnapshot(terminal: Terminal, to: string, flags: SnapshotFlags): Promise<void> {
  const { keep, list, dryRun = false, json } = flags;
  const place = openStore(placeAt(terminal, "<to>", to));
  await place.checkWritable("<to>");
  if (list) return listSnapshots(terminal, place, json);
  const tell = (taken: TakenFolder) => terminal.say(folderWords(taken));
  const taken = await withUncopied(await existingLake(terminal), (lake) =>
    takeSnapshot(lake, place, tell, dryRun),
  );
  const dropped = keep === undefined || dryRun ? 0 : await keepNewest(place, keep);
  const { root, instant, binding, tables, amount } = taken;
  const said = { place: place.address, lake: binding.lake, instant, root, tables, ...amount, dropped };
  showResult(terminal, json, said, () => {
    const { objects, bytes, kept } = amount;
    return labelledLines([
      ["snapshot", `${instant}, in ${place.address}`],
      ["files", `${objects}, ${bytesWords(bytes)}; ${kept} there already`],
      ["root", root],
      ["deleted", dropped === 0 ? null : counted(dropped, "older snapshot")],
      ["note", dryRun ? "nothing was copied" : null],
    ]);
  });
}

/** Restores a snapshot to the configured place. @throws InputError, also where a byte is not what the manifest says */
export async function runRestore(terminal: Terminal, from: string, flags: RestoreFlags): Promise<void> {
  const { root: asked, dryRun = false, json } = flags;
  if (asked !== undefined && !/^sha256:[0-9a-f]{64}$/.test(asked))
    throw new InputError(
      "--root: not a root. Accepted: sha256: and the 64 hex digits that `lake snapshot` shows.",
    );
  const source = placeAt(terminal, "<from>", from);
  const { lake, warnings } = readConfig(terminal, ["lake"]);
  for (const warning of warnings) terminal.say(`warning: ${warning}`);
  const target = openStore(lake);
  const snapshot = await withUncopied(source, async (place) => {
    if (!(await place.isThere()))
      throw new InputError(
        `there are no snapshots at ${place.address}: it does not exist. Nothing was restored. Name the place that \`nightledger lake snapshot\` wrote to.`,
      );
    const found = await findSnapshot(place, asked);
    if (!dryRun) await target.checkWritable("NIGHTLEDGER_LAKE");
    await restoreSnapshot(place, found, target, dryRun);
    return found;
  });
  const { instant, root, binding, tables } = snapshot;
  const said = { lake: binding.lake, to: target.address, instant, root, tables, ...amountIn(snapshot) };
  showResult(terminal, json, said, ({ objects, bytes }) =>
    labelledLines([
      ["snapshot", instant],
      ["files", `${objects}, ${bytesWords(bytes)}; every byte is that of the snapshot`],
      ["root", root],
      [dryRun ? "note" : "lake", dryRun ? "nothing was restored" : target.address],
    ]),
  );
  if (dryRun) return;
  terminal.say(
    `Next: \`nightledger verify\`; then \`nightledger plan\` of each job, before it runs. This lake knows nothing of what was sent after ${instant}: the plan counts those rows as open, and the job sends them again. Persons who were forgotten since are here again, and holds that were set since are not: repeat both. docs/run/operate.md#back-up-and-restore`,
  );
}

/** What a command says of one folder that it has copied. */
export function folderWords({ folder, objects, bytes, kept }: TakenFolder): string {
  const there = kept === 0 ? "" : `, ${kept} there already`;
  return `${folder}: ${counted(objects, "object")}, ${counted(bytes, "byte")}${there}`;
}

async function listSnapshots(terminal: Terminal, place: ObjectStore, json = false): Promise<void> {
  const items = [];
  for (const key of await snapshotKeys(place)) {
    const snapshot = await readSnapshot(place, key);
    const { instant, root, binding } = snapshot;
    items.push({ instant, root, lake: binding.lake, ...amountIn(snapshot) });
  }
  if (json) terminal.result(JSON.stringify({ items }));
  else if (items.length === 0) terminal.result(`no snapshots are in ${place.address}`);
  else showRows(terminal, items, { names: ["instant", "root", "objects", "bytes"] });
}

function amountIn({ files }: SnapshotManifest) {
  const sizes = Object.values(files).map(({ size }) => size);
  return { objects: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
