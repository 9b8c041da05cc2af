/** A layer larger than this fraction of the one below is merged into it. */
const MERGED_AT = 1 / 8;

/** An immutable map; one with changes shares its base, so a change costs what it changes. */
class LayeredMap<V> implements ReadonlyMap<string, V> {
  /** The oldest first; null removes an entry. */
  #layers: readonly ReadonlyMap<string, V | null>[];

  constructor(
    layers: readonly ReadonlyMap<string, V | null>[],
    readonly size: number,
  ) {
    this.#layers = layers;
  }

  get(key: string): V | undefined {
    for (let at = this.#layers.length - 1; at >= 0; at -= 1) {
      const value = this.#layers[at]?.get(key);
      if (value !== undefined) return value ?? undefined;
    }
    return undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  with(changes: Map<string, V | null>): LayeredMap<V> {
    let size = this.size;
    for (const [key, value] of changes) {
      if (this.has(key)) size -= value === null ? 1 : 0;
      else if (value === null) changes.delete(key);
      else size += 1;
    }
    if (changes.size === 0) return this;
    const layers = this.#layers.filter((layer) => layer.size > 0);
    let top: ReadonlyMap<string, V | null> = changes;
    for (let below = layers.at(-1); below && top.size > below.size * MERGED_AT; below = layers.at(-1)) {
      layers.pop();
      top = merged(below, top, layers.length === 0);
    }
    return new LayeredMap([...layers, top], size);
  }

  keys() {
    return this.#whole().keys();
  }

  values() {
    return this.#whole().values();
  }

  entries() {
    return this.#whole().entries();
  }

  [Symbol.iterator]() {
    return this.entries();
  }

  forEach(visit: (value: V, key: string, map: ReadonlyMap<string, V>) => void): void {
    for (const [key, value] of this) visit(value, key, this);
  }

  /** A caller that visits every entry pays as much anyway. */
  #whole(): ReadonlyMap<string, V> {
    const [first = new Map<string, V>(), ...later] = this.#layers;
    const whole = later.reduce((below, top) => merged(below, top, true), first);
    this.#layers = [whole];
    // There is nothing below the oldest layer.
    return whole as ReadonlyMap<string, V>;
  }
}

/** Null removes an entry. The changes must not change again. */
export function withChanges<V extends object | string>(
  base: ReadonlyMap<string, V>,
  changes: Map<string, V | null>,
): ReadonlyMap<string, V> {
  if (changes.size === 0) return base;
  return (base instanceof LayeredMap ? base : new LayeredMap([base], base.size)).with(changes);
}

function merged<V>(
  below: ReadonlyMap<string, V | null>,
  top: ReadonlyMap<string, V | null>,
  isOldest: boolean,
): ReadonlyMap<string, V | null> {
  const both = new Map(below);
  for (const [key, value] of top) {
    if (value === null && isOldest) both.delete(key);
    else both.set(key, value);
  }
  return both;
}
