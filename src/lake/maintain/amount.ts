/** Files, and their bytes. */
export interface Amount {
  readonly files: number;
  readonly bytes: number;
}

export const NOTHING: Amount = { files: 0, bytes: 0 };

export function amountOf(files: Iterable<{ readonly size: number }>): Amount {
  let [count, bytes] = [0, 0];
  for (const { size } of files) [count, bytes] = [count + 1, bytes + size];
  return { files: count, bytes };
}

export function plus(a: Amount, b: Amount): Amount {
  return { files: a.files + b.files, bytes: a.bytes + b.bytes };
}
