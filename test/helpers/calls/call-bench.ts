import { utimes } from "node:fs/promises";
import { join } from "node:path";
import type { ApplicationFailure } from "@temporalio/activity";
import type { SandboxOptions } from "../../../sandbox/index.js";
import type { CallIntent, KeptAnswer } from "../../../src/activities/calls/call-record.js";
import { type CallRule, callRule, makeCall } from "../../../src/activities/calls/call-rules.js";
import {
  listsRunning,
  onboardingResolution,
  type StartedOnboarding,
} from "../../../src/activities/calls/onboarding-resolution.js";
import { asCallFailure } from "../../../src/activities/failure.js";
import { createOnboarding, OPERATIONS } from "../../../src/api/operations/index.js";
import type { Operation } from "../../../src/api/operations/operation.js";
import { openActivityBench } from "../temporal/activity-bench.js";
import { fillForCalls, REQUESTS, type RequestParts } from "./call-world.js";

/** As onboarding resolves it. */
const ONBOARDING = {
  operation: createOnboarding,
  resolutionOf: ({ deps, run }, params) => onboardingResolution(deps, params, { run }),
} satisfies CallRule<typeof createOnboarding, StartedOnboarding> as unknown as CallRule<Operation, unknown>;

export type CallBench = Awaited<ReturnType<typeof openCallBench>>;

/** Calls as activities, on real parts, without a Temporal server. */
export async function openCallBench(options: SandboxOptions = {}) {
  const bench = await openActivityBench(options);
  const { sandbox, deps } = bench;
  fillForCalls(sandbox);
  // As in a lake whose service has listed an onboarding that had not ended.
  await listsRunning(deps.sealed).put(true);
  const prefix = (call: string) => `_staging/run/calls/${call}/`;
  const attempt = async (name: string, call: string, request: RequestParts | undefined = REQUESTS[name]) => {
    if (request === undefined) throw new Error(`there is no valid request of ${name}`);
    const { params, ...terms } = request;
    const place = { deps, run: "run", prefix: prefix(call), ...terms };
    const operation = OPERATIONS.find((one) => one.name === name);
    if (operation === undefined) throw new Error(`there is no operation ${name}`);
    const rule = name === createOnboarding.name ? ONBOARDING : callRule(operation);
    return bench.run(() => asCallFailure(() => makeCall(place, rule, params as never)));
  };
  const changeIntents = async (call: string, ageMs: number, change: (intent: CallIntent) => CallIntent) => {
    for (const { key, modifiedAt } of await deps.sealed.list(prefix(call))) {
      const isIntent = key.includes("/intent-");
      if (!isIntent && !key.endsWith("/unsure")) continue;
      const intent = await deps.sealed.require<CallIntent>(key);
      await deps.sealed.put(key, isIntent ? change(intent) : intent);
      const time = new Date(modifiedAt.getTime() - ageMs);
      await utimes(join(deps.lake.store.address, key), time, time);
    }
  };
  return {
    ...bench,
    attempt,
    failure: (name: string, call: string, request?: RequestParts) =>
      attempt(name, call, request).then(
        ({ repeated }) => Promise.reject(new Error(`${name} succeeded (repeated: ${repeated})`)),
        (failure: ApplicationFailure) => failure,
      ),
    answer: (call: string) => deps.sealed.get<KeptAnswer<unknown>>(`${prefix(call)}answer`),
    /** Makes the intents of a call, and its first look in vain, older, as if it had waited. */
    age: (call: string, ms: number) =>
      changeIntents(call, ms, (intent) => {
        return { ...intent, at: intent.at - ms };
      }),
    /** Makes the intents of a call those of a worker whose clock is so far ahead, which knew the service's or not. */
    skew: (call: string, ms: number, known: boolean) =>
      changeIntents(call, 0, (intent) => {
        const ahead = known && intent.clockAheadMs !== null ? intent.clockAheadMs - ms : null;
        return { ...intent, at: intent.at + ms, clockAheadMs: ahead };
      }),
  };
}
