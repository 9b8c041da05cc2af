/** Requests to the bucket that a lake is in: `GET` and `HEAD`, listings too, and all others. */
export interface LakeRequests {
  readonly reads: number;
  readonly writes: number;
}

/** What an activity says of its requests; left out where the lake is in no bucket. */
export interface CountedRequests {
  readonly lake_requests?: LakeRequests;
}
