import { defineQuery, defineSignal } from "@temporalio/workflow";
import type { CustomerReport } from "../../domain/onboarding/batch/batch-rows.js";
import type { CustomerNews, HandedRow } from "../../domain/onboarding/follow/shard.js";
import {
  BATCH_PROGRESS,
  BATCH_SIGNALS,
  type BatchProgress,
  FOLLOW_PROGRESS,
  FOLLOW_SIGNALS,
  type FollowProgress,
} from "../../domain/onboarding/messages.js";

export const rowsHandedOver = defineSignal<[readonly HandedRow[]]>(FOLLOW_SIGNALS.handOver);
export const customerNews = defineSignal<[readonly CustomerNews[]]>(FOLLOW_SIGNALS.news);
/** Says which batch was cancelled. */
export const batchStopped = defineSignal<[string]>(FOLLOW_SIGNALS.stop);
export const triedNow = defineSignal(FOLLOW_SIGNALS.tryNow);
export const followProgress = defineQuery<FollowProgress>(FOLLOW_PROGRESS);

export const customersReported = defineSignal<[readonly CustomerReport[]]>(BATCH_SIGNALS.reported);
export const pauseBatch = defineSignal(BATCH_SIGNALS.pause);
export const resumeBatch = defineSignal(BATCH_SIGNALS.resume);
export const cancelBatch = defineSignal(BATCH_SIGNALS.cancel);
/** Says how many rows of the file may run from now on. */
export const raiseLimit = defineSignal<[number]>(BATCH_SIGNALS.raiseLimit);
export const batchProgress = defineQuery<BatchProgress>(BATCH_PROGRESS);
