/** Requests to the bucket that a lake is in: `GET` and `HEAD`, listings too, and all others. */
export interface LakeRequests {
  readonly reads: number;
  readonly writes: number;
}

/** What an activity says of its requests; left out where the lake is in no bucket. */
export interface CountedRequests {
  readonly lake_requests?: LakeRequests;
}

/** Adds up requests; undefined where none of them is known. */
export function addRequests(
  a: LakeRequests | undefined,
  b: LakeRequests | undefined,
): LakeRequests | undefined {
  return a && b ? { reads: a.reads + b.reads, writes: a.writes + b.writes } : (a ?? b);
}
