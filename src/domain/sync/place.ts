/** Where a record is in a run's staging, and which one it is: nothing is read that no place names. */
export interface Place {
  /** Name of the journal within its run. */
  readonly journal: string;
  /** Offset of the record, in bytes. */
  readonly at: number;
  readonly bytes: number;
  /** Beginning of the sha256 of the record's body. */
  readonly sha256: string;
}

export function placeKey({ journal, at }: Place): string {
  return `${journal}:${at}`;
}

/** A slice has two folders of journals: `begun` for what it begins, `continued` for links of earlier slices. */
export function journalFolder(slice: number, kind: "begun" | "continued"): string {
  return kind === "begun" ? `${slice}` : `${slice}-continued`;
}

export function sliceOf({ journal }: Place): number {
  return Number.parseInt(journal, 10);
}
