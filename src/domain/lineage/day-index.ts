/** Rows by key and day: counts those of a key within some days without looking at each. */
export class DayIndex<T extends { readonly day: number }> {
  readonly #rows = new Map<string, T[]>();

  constructor(private readonly keysOf: (row: T) => readonly string[]) {}

  add(row: T): void {
    for (const key of this.keysOf(row)) {
      const rows = this.#rows.get(key) ?? [];
      rows.splice(firstAfter(rows, row.day), 0, row);
      this.#rows.set(key, rows);
    }
  }

  remove(row: T): void {
    for (const key of this.keysOf(row)) {
      const rows = this.#rows.get(key) ?? [];
      const at = rows.indexOf(row, firstAfter(rows, row.day - 1));
      if (at >= 0) rows.splice(at, 1);
    }
  }

  keys(): string[] {
    return [...this.#rows.keys()];
  }

  /** All rows of a key. */
  of(key: string): readonly T[] {
    return this.#rows.get(key) ?? [];
  }

  /** Counts the rows of some keys from one day to another, and gives the first ones. */
  within(keys: readonly string[], from: number, to: number, most: number) {
    let count = 0;
    const first: T[] = [];
    for (const key of keys) {
      const rows = this.of(key);
      const [low, high] = [firstAfter(rows, from - 1), firstAfter(rows, to)];
      count += high - low;
      first.push(...rows.slice(low, Math.min(high, low + most - first.length)));
    }
    return { count, first };
  }
}

/** Finds the place of the first row after a day. */
function firstAfter(rows: readonly { readonly day: number }[], day: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.day ?? 0) <= day) low = middle + 1;
    else high = middle;
  }
  return low;
}
