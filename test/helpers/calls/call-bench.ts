import { utimes } from "node:fs/promises";
import { join } from "node:path";
import type { ApplicationFailure } from "@temporalio/activity";
import type { SandboxOptions } from "../../../sandbox/index.js";
import type { CallIntent } from "../../../src/activities/calls/call-record.js";
import { type CallResult, makeCall } from "../../../src/activities/calls/make-call.js";
import { asCallFailure } from "../../../src/activities/failure.js";
import type { KeptAnswer } from "../../../src/lake/calls/staged-call.js";
import { type ActivityBench, openActivityBench } from "../temporal/activity-bench.js";
import {
  endedOnboarding,
  fillForCalls,
  type RequestParts,
  stageParts,
  startProxyTarget,
  validRequests,
} from "./call-world.js";

/** Calls as activities, on real parts, without a Temporal server. */
export interface CallBench extends ActivityBench {
  readonly requests: Readonly<Record<string, RequestParts>>;
  /** Runs an attempt of the call that is staged under a name. */
  attempt(name: string, call: string, request?: RequestParts): Promise<CallResult>;
  /** The failure of an attempt. */
  failure(name: string, call: string, request?: RequestParts): Promise<ApplicationFailure>;
  /** The kept answer of a call. */
  answer(call: string): Promise<KeptAnswer<unknown> | undefined>;
  /** Makes the intents of a call older, as if it had waited. */
  age(call: string, ms: number): Promise<void>;
  /** Makes the intents of a call those of a worker whose clock is so far ahead, which knew the service's or not. */
  skew(call: string, ms: number, known: boolean): Promise<void>;
}

export async function openCallBench(options: SandboxOptions = {}): Promise<CallBench> {
  const target = await startProxyTarget();
  const bench = await openActivityBench({ ...target.options, ...options });
  const { sandbox, deps } = bench;
  fillForCalls(sandbox);
  const user = await endedOnboarding(sandbox, "fp_1", "pb_earlier");
  const business = await endedOnboarding(sandbox, "fb_1", "pb_business");
  const requests = validRequests(sandbox, { user, business });
  const prefix = (call: string) => `_staging/run/calls/${call}/`;
  const attempt: CallBench["attempt"] = async (name, call, request = requests[name]) => {
    if (request === undefined) throw new Error(`there is no valid request of ${name}`);
    await stageParts(deps.sealed, prefix(call), name, request);
    return bench.run(() => asCallFailure(() => makeCall(deps, { run: "run", prefix: prefix(call) })));
  };
  const changeIntents = async (call: string, ageMs: number, change: (intent: CallIntent) => CallIntent) => {
    for (const { key, modifiedAt } of await deps.sealed.list(prefix(call))) {
      if (!key.includes("/intent-")) continue;
      const intent = await deps.sealed.require<CallIntent>(key);
      await deps.sealed.put(key, change(intent));
      const time = new Date(modifiedAt.getTime() - ageMs);
      await utimes(join(deps.lake.store.address, key), time, time);
    }
  };
  return {
    ...bench,
    requests,
    attempt,
    failure: (name, call, request) =>
      attempt(name, call, request).then(
        ({ repeated }) => Promise.reject(new Error(`${name} succeeded (repeated: ${repeated})`)),
        (failure: ApplicationFailure) => failure,
      ),
    answer: (call) => deps.sealed.get(`${prefix(call)}answer`),
    age: (call, ms) =>
      changeIntents(call, ms, (intent) => {
        return { ...intent, at: intent.at - ms };
      }),
    skew: (call, ms, known) =>
      changeIntents(call, 0, (intent) => {
        const ahead = known && intent.clockAheadMs !== null ? intent.clockAheadMs - ms : null;
        return { ...intent, at: intent.at + ms, clockAheadMs: ahead };
      }),
    async close() {
      await bench.close();
      await target.close();
    },
  };
}
