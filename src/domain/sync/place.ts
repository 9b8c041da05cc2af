/** Where a record of a run's staging stands, and which one it is: only what a place names is ever read. */
export interface Place {
  /** Name of the journal within its run. */
  readonly journal: string;
  /** Where the record begins, in bytes. */
  readonly at: number;
  /** Bytes of the record. */
  readonly bytes: number;
  /** Beginning of the sha256 of the record's body. */
  readonly sha256: string;
}

/** A place as a key of maps. */
export function placeKey({ journal, at }: Place): string {
  return `${journal}:${at}`;
}

/** The folder of the journals that a slice begins, and of those in which it continues links of earlier slices. */
export function journalFolder(slice: number, kind: "begun" | "continued"): string {
  return kind === "begun" ? `${slice}` : `${slice}-continued`;
}

/** The slice in whose first folder a place is. */
export function sliceOf({ journal }: Place): number {
  return Number.parseInt(journal, 10);
}
