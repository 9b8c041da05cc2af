import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Fault } from "../../../sandbox/index.js";
import { callOnce } from "../../../src/activities/calls/call-once.js";
import type { KeptAnswer } from "../../../src/activities/calls/call-record.js";
import {
  listsRunning,
  onboardingResolution,
  type StartedOnboarding,
} from "../../../src/activities/calls/onboarding-resolution.js";
import { createOnboarding, OPERATIONS } from "../../../src/api/operations/index.js";
import { type CallBench, openCallBench } from "../../helpers/calls/call-bench.js";
import { expectSettled, NOT_JSON } from "../../helpers/calls/unusable-answers.js";
import { declarePlaybooks, loseAnswer, started, WRITES, type Write } from "../../helpers/calls/writes.js";

let bench: CallBench;
beforeEach(async () => {
  bench = await openCallBench();
});
afterEach(() => bench.close());

const link = { path: { link_id: "link_1" } };
const row = { account_id: "acc_1", amount: "1", date: "2026-01-02" };

const LOSSES: readonly (readonly [string, Omit<Fault, "operation">])[] = [
  ["a reset", { kind: "reset", afterEffect: true } as Fault],
  ["a status 500", { kind: "status", status: 500, afterEffect: true } as Fault],
  ["no answer in time", { kind: "hang", afterEffect: true } as Fault],
  ["half an answer", { kind: "truncated", mode: "length" } as Fault],
];

const lose = (write: Write, fault: object) => loseAnswer(bench, write, fault);

beforeEach(() => declarePlaybooks(bench.sandbox));

describe.each(WRITES)("$what whose answer is lost takes effect once", (write) => {
  it.each(LOSSES)("%s", async (_, fault) => {
    lose(write, fault);
    const lost = await bench.failure(write.name, "call", write.request);
    expect(lost).toMatchObject({ type: "TransientError", nonRetryable: false });
    expect(write.effects(bench.sandbox)).toBe(1);
    // Nothing is left to the user.
    expect(lost.message).not.toMatch(/find out before you/);
    const { repeated } = await bench.attempt(write.name, "call", write.request);
    expect(repeated).toBe(write.outcome === "its effect" ? "recovered" : "no");
    const found = await bench.attempt(write.name, "call", write.request);
    expect(found.repeated).toBe("found");
    expect(write.effects(bench.sandbox)).toBe(1);
  });
});

describe.each(WRITES)("$what whose answer is not JSON takes effect once", (write) => {
  it.each(NOT_JSON.slice(0, 1))("%s", (_, fault) => expectSettled(bench, write, fault));
});

describe.each(WRITES)("$what that is answered by a proxy again and again", (write) => {
  it("is given up after five answers, and the error says what to do; asked for again, it continues", async () => {
    // What looks for the effect of the request meets the same proxy.
    const met = write.outcome === "its effect" ? {} : { operation: write.name };
    const fault = bench.sandbox.addFault({ ...met, kind: "wrong_body", contentType: "text/html" });
    const delays: number[] = [];
    for (let attempt = 1; attempt < 5; attempt += 1) {
      const failure = await bench.failure(write.name, "call", write.request);
      expect(failure).toMatchObject({ type: "TransientError", nonRetryable: false });
      delays.push(Number(failure.nextRetryDelay));
    }
    expect(delays).toEqual([8_000, 16_000, 32_000, 64_000]);
    const last = await bench.failure(write.name, "call", write.request);
    expect(last).toMatchObject({ type: "LostAnswerError", nonRetryable: true });
    expect(last.message).toMatch(/5 answers.*not JSON.*NIGHTLEDGER_API_URL.*check whether the service/is);
    bench.sandbox.removeFault(fault);
    await bench.age("call", 20_000);
    await bench.attempt(write.name, "call", write.request);
    expect(write.effects(bench.sandbox)).toBe(1);
  });
});

/** Its answer is an empty object: whatever else comes does not say that all was carried out. */
const answersNothing = ({ name }: Write) =>
  OPERATIONS.find((one) => one.name === name)?.answers === "nothing";

describe.each(WRITES.filter(answersNothing))("$what whose answer is not the one promised", (write) => {
  it.each([
    ["queued", { kind: "wrong_body", status: 202, body: '{"status":"queued"}' }],
    ["a status that nobody promised", { kind: "wrong_body", status: 202, body: "{}" }],
    ["a part", { kind: "wrong_body", body: '{"imported":3,"errors":[{"row":4}]}' }],
    ["a list", { kind: "wrong_body", body: "[]" }],
  ])("is lost, and takes effect once: %s", (_, fault) => expectSettled(bench, write, fault));
});

describe("a write whose answer is JSON of another shape", () => {
  it.each(WRITES.filter((write) => !answersNothing(write)))(
    "$what: breaks the contract, and is resolved when the call is repeated",
    async (write) => {
      lose(write, { kind: "wrong_body", body: "[]" });
      const broken = await bench.failure(write.name, "call", write.request);
      expect(broken).toMatchObject({ type: "SchemaError", nonRetryable: true });
      await bench.attempt(write.name, "call", write.request);
      expect(write.effects(bench.sandbox)).toBe(1);
    },
  );
});

const LOOKED_UP = WRITES.filter(({ outcome }) => outcome === "its effect");

describe.each(LOOKED_UP)("$what that was lost on the way out", (write) => {
  it("is looked for, not believed to be absent at once, and sent again in the end", async () => {
    lose(write, { kind: "reset" });
    await bench.failure(write.name, "call", write.request);
    const early = await bench.failure(write.name, "call", write.request);
    expect(early).toMatchObject({ type: "TransientError", nonRetryable: false });
    expect(Number(early.nextRetryDelay)).toBeGreaterThan(5_000);
    expect(write.effects(bench.sandbox)).toBe(0);
    await bench.age("call", 20_000);
    expect((await bench.attempt(write.name, "call", write.request)).repeated).toBe("no");
    expect(write.effects(bench.sandbox)).toBe(1);
  });

  it.each([400, 422])(
    "is unknown where the look-up is refused by %d: the request itself was not",
    async (status) => {
      lose(write, { kind: "reset", afterEffect: true });
      await bench.failure(write.name, "call", write.request);
      for (const operation of [
        "sync_transactions",
        "list_user_onboardings",
        "list_business_onboardings",
      ] as const)
        bench.sandbox.addFault({ kind: "status", operation, status });
      await bench.age("call", 20_000);
      const unknown = await bench.failure(write.name, "call", write.request);
      expect(unknown).toMatchObject({ type: "LostAnswerError", nonRetryable: true });
      expect(write.effects(bench.sandbox)).toBe(1);
    },
  );
});

describe("a lost onboarding", () => {
  const request = { params: { body: { key: "pb_new", fp_id: "fp_1" } } };
  const lost = { operation: "create_onboarding", times: 1, kind: "reset", afterEffect: true } as const;

  it("is found as what it is now, with its continuation", async () => {
    bench.sandbox.playbooks.declare({ key: "pb_new", outcomes: { incomplete: 1 } });
    bench.sandbox.addFault(lost);
    await bench.failure("create_onboarding", "call", request);
    await bench.attempt("create_onboarding", "call", request);
    const [made] = bench.sandbox.onboardings.list().filter(({ playbook_key }) => playbook_key === "pb_new");
    expect((await bench.answer("call"))?.body).toMatchObject({
      ...{ id: made?.id, status: "incomplete" },
      continue_onboarding: { token: expect.stringMatching(/^obtok_/) },
    });
  });

  it("is not taken for one that was made before it, nor for one of another playbook", async () => {
    await bench.attempt("create_onboarding", "earlier", request);
    bench.sandbox.clock.advance(60_000);
    await bench.attempt("create_onboarding", "other", {
      params: { body: { key: "pb_user", fp_id: "fp_1" } },
    });
    bench.sandbox.addFault({ ...lost, afterEffect: false });
    await bench.failure("create_onboarding", "call", request);
    await bench.age("call", 20_000);
    expect((await bench.attempt("create_onboarding", "call", request)).repeated).toBe("no");
    expect(started(bench.sandbox)).toBe(2);
  });

  it("is not taken for one that is known to be another, however young that is", async () => {
    await bench.attempt("create_onboarding", "earlier", request);
    const { body: earlier } = (await bench.answer("earlier")) as KeptAnswer<StartedOnboarding>;
    const known = [earlier.id];
    const once = () =>
      bench.run(() =>
        callOnce(bench.deps, {
          operation: createOnboarding,
          params: request.params,
          key: "_staging/run/calls/call/",
          resolution: onboardingResolution(bench.deps, request.params, { others: known }),
        }),
      );
    bench.sandbox.addFault({ ...lost, afterEffect: false });
    await expect(once()).rejects.toMatchObject({ name: "TransientError" });
    await bench.age("call", 20_000);
    const { body, repeated } = await once();
    expect(repeated).toBe("no");
    expect(known).not.toContain(body.id);
  });

  it("of whom lists show no run that has not ended is looked for, and unknown after an hour", async () => {
    await listsRunning(bench.deps.sealed).drop();
    bench.sandbox.addFault({ ...lost, afterEffect: false });
    await bench.failure("create_onboarding", "call", request);
    const look = () => bench.failure("create_onboarding", "call", request);
    expect(await look()).toMatchObject({ type: "TransientError", nextRetryDelay: 10_000 });
    await bench.age("call", 1_800_000);
    expect(await look()).toMatchObject({ type: "TransientError", nextRetryDelay: 300_000 });
    await bench.age("call", 1_800_000);
    expect(await look()).toMatchObject({ type: "LostAnswerError", nonRetryable: true });
    expect(started(bench.sandbox)).toBe(0);
  });

  it("is found by the service's clock, also when that is far behind", async () => {
    await bench.close();
    bench = await openCallBench({ clock: { now: new Date(Date.now() - 86_400_000).toISOString() } });
    bench.sandbox.playbooks.declare({ key: "pb_new" });
    bench.sandbox.addFault(lost);
    await bench.failure("create_onboarding", "call", request);
    expect((await bench.attempt("create_onboarding", "call", request)).repeated).toBe("recovered");
    expect(started(bench.sandbox)).toBe(1);
  });

  it("is found on the first page, also where that is number 0", async () => {
    await bench.close();
    bench = await openCallBench({ onboardingPages: { size: 5, maximum: 5, first: 0 } });
    bench.sandbox.playbooks.declare({ key: "pb_new" });
    bench.sandbox.addFault(lost);
    await bench.failure("create_onboarding", "call", request);
    expect((await bench.attempt("create_onboarding", "call", request)).repeated).toBe("recovered");
    expect(started(bench.sandbox)).toBe(1);
  });
});

describe("a lost import", () => {
  const requestOf = (...ids: (string | undefined)[]) => ({
    params: {
      ...link,
      body: {
        transactions: ids.map((transaction_id) => ({ ...row, ...(transaction_id && { transaction_id }) })),
      },
    },
  });

  it("of which a part was taken is completed, without a row twice", async () => {
    const request = requestOf("a", "b", "c");
    bench.sandbox.addFault({ kind: "partial_import", rows: 2, times: 1 });
    await bench.failure("import_transactions", "call", request);
    await bench.age("call", 20_000);
    await bench.attempt("import_transactions", "call", request);
    expect((await bench.answer("call"))?.body).toEqual({ sent: 1, found: 2, unknown: [] });
    const ids = [...bench.sandbox.truthRows("link_1")].map((one) => JSON.parse(JSON.stringify(one)).id);
    expect(ids).toHaveLength(3);
  });

  it("that was refused after a part was taken is not forgotten before the part is found", async () => {
    const request = { ...requestOf("a", "b", "c"), lookAfter: "refusal" as const };
    bench.sandbox.addFault({ kind: "partial_import", rows: 2, status: 400, times: 1 });
    bench.sandbox.addFault({ kind: "status", operation: "sync_transactions", status: 503, times: 1 });
    expect((await bench.failure("import_transactions", "call", request)).type).toBe("TransientError");
    await bench.age("call", 20_000);
    await bench.attempt("import_transactions", "call", request);
    expect((await bench.answer("call"))?.body).toEqual({ sent: 1, found: 2, unknown: [] });
    expect([...bench.sandbox.truthRows("link_1")]).toHaveLength(3);
  });

  it("leaves rows without an id as unknown", async () => {
    const request = requestOf("a", undefined, "c");
    bench.sandbox.addFault({ kind: "reset", operation: "import_transactions", afterEffect: true, times: 1 });
    await bench.failure("import_transactions", "call", request);
    await bench.attempt("import_transactions", "call", request);
    expect((await bench.answer("call"))?.body).toEqual({ sent: 0, found: 2, unknown: [1] });
    expect([...bench.sandbox.truthRows("link_1")]).toHaveLength(3);
  });

  it("is not sent again while nothing tells how rows come back, and is unknown in the end", async () => {
    const request = requestOf("a", "b");
    bench.sandbox.addFault({ kind: "reset", operation: "import_transactions", times: 1 });
    await bench.failure("import_transactions", "call", request);
    const look = () => bench.failure("import_transactions", "call", request);
    expect(await look()).toMatchObject({ type: "TransientError", nextRetryDelay: 10_000 });
    await bench.age("call", 60_000);
    expect(await look()).toMatchObject({ type: "LostAnswerError", nonRetryable: true });
    expect([...bench.sandbox.truthRows("link_1")]).toEqual([]);
  });

  it("is sent again once another row of the link came back", async () => {
    const beside = [{ link_id: "link_1", account_id: row.account_id, transaction_id: "before" }];
    const request = { ...requestOf("a"), evidence: { isSeen: false, beside } };
    bench.sandbox.addFault({ kind: "reset", operation: "import_transactions", times: 1 });
    await bench.failure("import_transactions", "call", request);
    await bench.attempt("import_transactions", "before", requestOf("before"));
    await bench.age("call", 20_000);
    await bench.attempt("import_transactions", "call", request);
    expect([...bench.sandbox.truthRows("link_1")]).toHaveLength(2);
  });
});
