import { defineQuery } from "@temporalio/workflow";

/** One call has no steps to show; that it answers at all says that a worker has it. */
export type CallProgress = Readonly<Record<string, never>>;

export const callProgressQuery = defineQuery<CallProgress>("progress");
