import type { RowGroup } from "../../parquet/parquet-footer.js";
import { filesOfShelf, SMALL_GROUP_ROWS } from "./shelf-plan.js";

interface GroupedFile {
  readonly path: string;
  /** Undefined for a file of another tool or with fewer columns, whose row groups can't be mixed with ours. */
  readonly groups: readonly RowGroup[] | undefined;
  /** How many rows of each group leave the table; empty if none do. */
  readonly gone: readonly number[];
}

export interface RowGroupPlan {
  readonly copied: readonly RowGroup[];
  /** Decoded by SQL and written again as one stream. */
  readonly decoded: readonly RowGroup[];
  /** Files that SQL must decode completely. */
  readonly foreign: readonly string[];
}

/** Decides which row groups are copied, and which decoded: those that lose rows, and small ones that can be merged. Pure. */
export function planRowGroups(files: readonly GroupedFile[]): RowGroupPlan {
  const foreign = files.flatMap(({ path, groups }) => (groups === undefined ? [path] : []));
  const groups = files.flatMap(({ groups = [], gone }) =>
    groups.map((group, at) => ({ group, lost: gone[at] ?? 0 })),
  );
  const whole = groups.flatMap(({ group, lost }) => (lost === 0 ? [group] : []));
  const reduced = groups.flatMap(({ group, lost }) => (lost > 0 && lost < group.rows ? [group] : []));
  const small = whole.filter(isSmall);
  if (small.length + reduced.length + foreign.length < 2) return { copied: whole, decoded: reduced, foreign };
  return { copied: whole.filter((group) => !isSmall(group)), decoded: [...reduced, ...small], foreign };
}

function isSmall({ rows }: RowGroup): boolean {
  return rows < SMALL_GROUP_ROWS;
}

/** Splits row groups into files of like size. Each link's groups stay together, so few files hold the same link. Pure. */
export function groupsByFile(groups: readonly RowGroup[]): RowGroup[][] {
  const bytes = groups.reduce((sum, group) => sum + group.bytes, 0);
  const most = bytes / filesOfShelf(bytes);
  const files: RowGroup[][] = [];
  let before = 0;
  for (const group of [...groups].sort(byFirstLink)) {
    const at = Math.floor(before / most);
    files[at] = [...(files[at] ?? []), group];
    before += group.bytes;
  }
  return files.filter((some) => some !== undefined);
}

function byFirstLink(a: RowGroup, b: RowGroup): number {
  return Buffer.compare(firstLink(a), firstLink(b));
}

function firstLink({ bounds }: RowGroup): Buffer {
  return bounds.get("link_id")?.min ?? Buffer.alloc(0);
}
