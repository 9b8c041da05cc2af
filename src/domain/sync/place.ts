/** A record in a run's staging: nothing is read that no place names. */
export interface Place {
  /** Within its run. */
  readonly journal: string;
  /** In bytes. */
  readonly at: number;
  readonly bytes: number;
  /** Beginning of that of the record's body. */
  readonly sha256: string;
}

export function placeKey({ journal, at }: Place): string {
  return `${journal}:${at}`;
}

/** Names a slice's journals: `begun` of what it begins, `continued` of links of earlier slices. */
export function journalFolder(slice: number, kind: "begun" | "continued"): string {
  return kind === "begun" ? `${slice}` : `${slice}-continued`;
}

export function sliceOf({ journal }: Place): number {
  return Number.parseInt(journal, 10);
}
