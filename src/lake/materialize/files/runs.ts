/**
 * Cuts items in their order into runs: one with at least so many rows alone, the others together until they have as
 * many. Pure.
 */
export function runsOf<T extends { readonly rows: number }>(items: readonly T[], least: number): T[][] {
  const runs: T[][] = [];
  let rows = least;
  for (const item of items) {
    if (rows >= least || item.rows >= least) {
      runs.push([]);
      rows = 0;
    }
    runs.at(-1)?.push(item);
    rows += item.rows;
  }
  return runs;
}
