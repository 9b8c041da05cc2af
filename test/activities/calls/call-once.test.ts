import { beforeEach, describe, expect, it, vi } from "vitest";
import { callOnce, type OnceCall } from "../../../src/activities/calls/call-once.js";
import { CallRecord, callState } from "../../../src/activities/calls/call-record.js";
import { createCipReport, getUser } from "../../../src/api/operations/index.js";
import type { ParamsOf } from "../../../src/api/operations/operation.js";
import { openCallBench } from "../../helpers/calls/call-bench.js";
import { eachTest } from "../../helpers/each-test.js";

const bench = eachTest(openCallBench);

const KEY = "_staging/run/calls/one/";
const report: OnceCall<typeof createCipReport> = {
  operation: createCipReport,
  params: { path: { fp_id: "fp_1" }, body: { default_approver: "Ops" } },
  key: KEY,
};
const once = (call: OnceCall<typeof createCipReport> = report) => bench.run(() => callOnce(bench.deps, call));
const state = () => callState(bench.deps.sealed, KEY);
const made = () => bench.sandbox.cip.made().length;
const fault = (fields: object) =>
  bench.sandbox.addFault({ operation: "create_cip_report", times: 1, ...fields } as never);

describe("a call that is repeated", () => {
  it("gives the kept answer and asks for nothing", async () => {
    expect(await state()).toBe("not sent");
    const first = await once();
    expect(first.repeated).toBe("no");
    expect(await state()).toBe("answered");
    bench.sandbox.clearRequests();
    expect(await once()).toEqual({ ...first, repeated: "found" });
    expect(bench.sandbox.calls().total).toBe(0);
  });

  it("is not given the answer of another operation", async () => {
    await once();
    const other = { operation: getUser, params: { path: { fp_id: "fp_1" } }, key: KEY };
    await expect(bench.run(() => callOnce(bench.deps, other))).rejects.toThrow(
      "holds a call of create_cip_report, not of get_user",
    );
  });

  it("leaves no intent of a read", async () => {
    bench.sandbox.addFault({ kind: "reset", operation: "get_user", times: 1 });
    const read = { operation: getUser, params: { path: { fp_id: "fp_1" } }, key: KEY };
    const call = () => bench.run(() => callOnce(bench.deps, read));
    await expect(call()).rejects.toMatchObject({ name: "TransientError" });
    expect(await state()).toBe("not sent");
    expect((await call()).repeated).toBe("no");
  });
});

it("an answer that is judged to be another's is not kept", async () => {
  const accept = async () => {
    throw new Error("another's");
  };
  await expect(once({ ...report, accept })).rejects.toThrow("another's");
  expect(await state()).toBe("sent");
});

it("a write of which no rule says how it is resolved leaves an intent too, and is not sent again", async () => {
  const { resolution: _, ...unruled } = report;
  fault({ kind: "reset" });
  await expect(once(unruled)).rejects.toMatchObject({ name: "LostAnswerError" });
  expect(await state()).toBe("sent");
  await expect(once(unruled)).rejects.toMatchObject({ name: "LostAnswerError" });
  expect(made()).toBe(0);
});

describe("a request that certainly had no effect is not a lost answer", () => {
  it.each([
    ["refused", { kind: "status", status: 422 }, "RejectedError"],
    ["refused for its credentials", { kind: "status", status: 401 }, "AuthError"],
    ["asked to slow down", { kind: "status", status: 429 }, "RateLimitedError"],
    ["about something that is gone", { kind: "status", status: 404 }, "NotFoundError"],
  ])("%s", async (_, fields, name) => {
    fault(fields);
    await expect(once()).rejects.toMatchObject({ name });
    expect(await state()).toBe("not sent");
    expect((await once()).repeated).toBe("no");
    expect(made()).toBe(1);
  });

  it("never sent, because nobody listens", async () => {
    const { sandbox } = bench;
    await sandbox.close();
    await expect(once()).rejects.toMatchObject({ name: "TransientError", reason: "connection_refused" });
    expect(await state()).toBe("not sent");
  });

  it("never sent, because its parameters break a rule", async () => {
    const params = { path: { fp_id: "" }, body: { default_approver: "" } };
    await expect(once({ ...report, params })).rejects.toMatchObject({ name: "InputError" });
    expect(await state()).toBe("not sent");
  });

  it("timed out at the service (408): it may have had one", async () => {
    fault({ kind: "status", status: 408 });
    await expect(once()).rejects.toMatchObject({ name: "LostAnswerError" });
    expect(await state()).toBe("sent");
  });
});

describe("an answer that can't be used", () => {
  it("is a broken contract at first, and lost when it is asked for again", async () => {
    fault({ kind: "wrong_body", body: "[]" });
    await expect(once()).rejects.toMatchObject({ name: "SchemaError" });
    await expect(once()).rejects.toMatchObject({ name: "LostAnswerError" });
    expect(made()).toBe(1);
  });
});

describe("of a stalled attempt and the one that was started in its place", () => {
  const record = () => CallRecord.open(bench.deps.sealed, KEY, "create_cip_report");

  it("the answer that is kept first is everybody's", async () => {
    const [stalled, next] = [await record(), await record()];
    const first = await next.putAnswer({ status: "pending" });
    expect(await stalled.putAnswer({ status: "pass" })).toEqual(first);
    expect(await (await record()).answer()).toEqual(first);
  });

  it("only one can take the next number", async () => {
    const [stalled, next] = [await record(), await record()];
    await next.declare(undefined);
    await expect(stalled.declare(undefined)).rejects.toMatchObject({ name: "NotSentError", sent: false });
  });

  it("the stalled one can't send on its old intent, and finds the next number taken", async () => {
    const stalled = await record();
    await stalled.declare(undefined);
    expect(stalled.holds()).toBe(true);
    const next = await record();
    expect(next.earlier).toHaveLength(1);
    await next.declare(undefined);
    await expect(stalled.declare(undefined)).rejects.toMatchObject({ name: "NotSentError" });
    expect((await record()).earlier).toHaveLength(2);
  });

  it.each([
    ["set back", 5_001, -3_600_000],
    ["right, while the other one stood still in a machine's sleep", 0, 5_000],
  ])(
    "an intent ends after five seconds by either clock: the wall clock is %s",
    async (_, monotonic, wall) => {
      const stalled = await record();
      await stalled.declare(undefined);
      expect(stalled.holds()).toBe(true);
      const [performed, now] = [performance.now(), Date.now()];
      vi.spyOn(performance, "now").mockReturnValue(performed + monotonic);
      vi.spyOn(Date, "now").mockReturnValue(now + wall);
      try {
        expect(stalled.holds()).toBe(false);
      } finally {
        vi.restoreAllMocks();
      }
    },
  );

  it("a declaration that is made again replaces its own and no other", async () => {
    const one = await record();
    await one.declare(undefined);
    await one.declare(undefined);
    expect((await record()).earlier).toHaveLength(1);
    await one.retract();
    expect((await record()).earlier).toEqual([]);
  });
});

it("a call whose connection takes longer than its intent holds declares it again before it leaves", async () => {
  const declared: number[] = [];
  let held = 0;
  const params: ParamsOf<typeof getUser> = { path: { fp_id: "fp_1" } };
  await bench.deps.api.read(getUser, params, {
    intent: {
      declare: async () => void declared.push(bench.sandbox.calls().by_operation.get_user ?? 0),
      holds: () => ++held > 2,
      early: false,
    },
  });
  expect(declared).toEqual([0, 0, 0]);
  expect(bench.sandbox.calls().by_operation.get_user).toBe(1);
});

it("an early intent is declared once, before the call's turn; one that no longer holds, again in it", async () => {
  const params: ParamsOf<typeof getUser> = { path: { fp_id: "fp_1" } };
  for (const [holds, times] of [
    [[true, true], 1],
    [[false, true], 2],
  ] as const) {
    const answers = [...holds];
    const declare = vi.fn(async () => undefined);
    const intent = { declare, holds: () => answers.shift() ?? true, early: true };
    await bench.deps.api.read(getUser, params, { intent });
    expect(declare).toHaveBeenCalledTimes(times);
  }
  const release = bench.sandbox.hold({ operation: "get_user" });
  const declared: number[] = [];
  const calls = Array.from({ length: 3 * bench.deps.concurrency }, (_, at) =>
    bench.deps.api.read(getUser, params, {
      intent: { declare: async () => void declared.push(at), holds: () => true, early: true },
    }),
  );
  await expect.poll(() => declared.length).toBe(2 * bench.deps.concurrency);
  release();
  await Promise.all(calls);
  expect(declared).toHaveLength(calls.length);
});

it("an intent that can't be written keeps the call from being sent, and its place is free again", async () => {
  const params: ParamsOf<typeof getUser> = { path: { fp_id: "fp_1" } };
  const declare = () => Promise.reject(new Error("the disk is full"));
  const intent = { declare, holds: () => true, early: false };
  for (let call = 0; call < 5; call += 1) {
    await expect(bench.deps.api.read(getUser, params, { intent })).rejects.toThrow("the disk is full");
  }
  expect(bench.sandbox.calls().by_operation.get_user).toBeUndefined();
  await expect(bench.deps.api.read(getUser, params)).resolves.toBeDefined();
});

it("a lost onboarding is not believed to be absent while the service may take its time with it", async () => {
  bench.sandbox.playbooks.declare({ key: "pb_sync" });
  const started = () =>
    bench.sandbox.onboardings.list().filter(({ playbook_key }) => playbook_key === "pb_sync").length;
  const sync = { params: { body: { key: "pb_sync", fp_id: "fp_1", synchronous_timeout_secs: 20 } } };
  bench.sandbox.addFault({ operation: "create_onboarding", times: 1, kind: "reset" });
  await bench.failure("create_onboarding", "call", sync);
  await bench.age("call", 15_000);
  const early = await bench.failure("create_onboarding", "call", sync);
  expect(early).toMatchObject({ type: "TransientError", nonRetryable: false });
  expect(started()).toBe(0);
  await bench.age("call", 15_000);
  expect((await bench.attempt("create_onboarding", "call", sync)).repeated).toBe("no");
  expect(started()).toBe(1);
});

describe("whether a lost request had no effect is not judged by two workers' clocks", () => {
  const HOUR_MS = 3_600_000;
  const request = { params: { body: { key: "pb_clock", fp_id: "fp_1" } } };
  const started = () =>
    bench.sandbox.onboardings.list().filter(({ playbook_key }) => playbook_key === "pb_clock").length;
  beforeEach(async () => {
    bench.sandbox.playbooks.declare({ key: "pb_clock" });
    bench.sandbox.addFault({ operation: "create_onboarding", times: 1, kind: "reset" });
    await bench.failure("create_onboarding", "call", request);
  });

  it.each([
    ["an hour behind", -HOUR_MS, true],
    ["an hour behind, and that of the service not known", -HOUR_MS, false],
    ["an hour ahead", HOUR_MS, true],
    ["an hour ahead, and that of the service not known", HOUR_MS, false],
  ])("sent by one whose clock is %s: it is believed after ten seconds, not before", async (_, ms, known) => {
    await bench.skew("call", ms, known);
    const early = await bench.failure("create_onboarding", "call", request);
    expect(early).toMatchObject({ type: "TransientError", nonRetryable: false });
    expect(early.nextRetryDelay).toBeLessThanOrEqual(10_000);
    expect(started()).toBe(0);
    await bench.age("call", 15_000);
    expect((await bench.attempt("create_onboarding", "call", request)).repeated).toBe("no");
    expect(started()).toBe(1);
  });

  it("of several lost requests the last one counts: the one before it may be old", async () => {
    await bench.age("call", 15_000);
    bench.sandbox.addFault({ operation: "create_onboarding", times: 1, kind: "reset" });
    await bench.failure("create_onboarding", "call", request);
    const early = await bench.failure("create_onboarding", "call", request);
    expect(early).toMatchObject({ type: "TransientError", nonRetryable: false });
    expect(early.nextRetryDelay).toBeGreaterThan(0);
    expect(started()).toBe(0);
  });
});
