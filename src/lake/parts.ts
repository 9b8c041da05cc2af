export interface PartBounds {
  readonly count: number;
  readonly bytes: number;
}

/** Cuts values into parts, one in memory at a time; a value that is too long is a part of its own. */
export async function* inParts<T>(
  values: Iterable<T> | AsyncIterable<T>,
  most: PartBounds,
  bytesOf: (value: T) => number,
): AsyncGenerator<T[]> {
  let part: T[] = [];
  let bytes = 0;
  for await (const value of values) {
    const size = bytesOf(value);
    if (part.length > 0 && (part.length >= most.count || bytes + size > most.bytes)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(value);
    bytes += size;
  }
  if (part.length > 0) yield part;
}
