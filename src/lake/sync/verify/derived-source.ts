import type { AddFile } from "../../delta/delta-actions.js";
import { changesAfter } from "../../delta/delta-log.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import type { LakeReader } from "../../query/query-views.js";
import { strangeWatermark, watermarkOf } from "../../watermark.js";

/** The states of a derived table and its source, the source's read second, so that it is never behind. */
interface DerivedState {
  readonly table: string;
  readonly derived: Snapshot;
  readonly source: string;
  readonly sources: Snapshot;
}

/** The files of the source that the derived table is made of, or why it is not compared. */
type DerivedSource =
  | { readonly kind: "files"; readonly files: readonly AddFile[]; readonly behind: number }
  | { readonly kind: "not compared" | "strange"; readonly why: string };

export async function derivedState(lake: LakeReader, table: string, source: string): Promise<DerivedState> {
  const derived = await lake.table(table).snapshot();
  return { table, derived, source, sources: await lake.table(source).snapshot() };
}

/** Finds what a derived table's source had at the table's watermark. */
export async function sourceAtWatermark(lake: LakeReader, state: DerivedState): Promise<DerivedSource> {
  const { table, derived, source, sources } = state;
  const at = watermarkOf(derived, source);
  if (at < 0) {
    const [why, kind] =
      derived.files.size > 0
        ? ([`${table} has lost its watermark`, "strange"] as const)
        : ([`${table} is not built yet`, "not compared"] as const);
    return sources.files.size === 0 && kind === "not compared"
      ? { kind: "files", files: [], behind: 0 }
      : { kind, why };
  }
  const strange = await strangeWatermark(
    lake.store,
    { table, snapshot: derived },
    { table: source, snapshot: sources },
  );
  if (strange !== undefined) return { kind: "strange", why: strange };
  const later = await changesAfter({ ...lake, table: source }, at, sources);
  const paths = new Set(later?.map(({ add }) => add.path));
  if (later === undefined || [...paths].some((path) => !sources.files.has(path))) {
    return {
      kind: "not compared",
      why: `${table} is at version ${at} of ${source}, whose log no longer tells what came after it`,
    };
  }
  const files = [...sources.files.values()].filter(({ path }) => !paths.has(path));
  return { kind: "files", files, behind: later.length === 0 ? 0 : sources.version - at };
}
