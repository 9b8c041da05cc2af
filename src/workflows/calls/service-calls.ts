import { type ActivityInterfaceFor, proxyActivities } from "@temporalio/workflow";
import type { CallActivities } from "../../activities/calls/create-call-activities.js";
import { CALL_CLASSES, READ_CALL, STREAM_CALL, WRITE_CALL } from "../policies.js";

const BY_CLASS = {
  read: proxyActivities<CallActivities>(READ_CALL),
  write: proxyActivities<CallActivities>(WRITE_CALL),
  stream: proxyActivities<CallActivities>(STREAM_CALL),
};

/** Every operation of the service as an activity, each with its own retry class. */
export const serviceCalls = Object.fromEntries(
  Object.entries(CALL_CLASSES).map(([name, kind]) => [name, BY_CLASS[kind][name as keyof CallActivities]]),
) as ActivityInterfaceFor<CallActivities>;
