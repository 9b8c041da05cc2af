import { defineQuery } from "@temporalio/workflow";

/** Empty: a single call has no steps to show. An answer alone tells that a worker has the call. */
export type CallProgress = Readonly<Record<string, never>>;

export const callProgressQuery = defineQuery<CallProgress>("progress");
