import { randomBytes } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CALLS, type CallName } from "../../../src/activities/calls/create-call-activities.js";
import type { ProxyAnswer } from "../../../src/activities/calls/proxy-and-webhooks.js";
import { OPERATIONS } from "../../../src/api/operations/index.js";
import { putStream, sealedStream } from "../../../src/lake/store/sealed-stream.js";
import { CALL_CLASSES } from "../../../src/workflows/policies.js";
import { type CallBench, openCallBench } from "../../helpers/calls/call-bench.js";

let bench: CallBench;
beforeEach(async () => {
  bench = await openCallBench();
});
afterEach(() => bench.close());

/** What a workflow is told of each answer. */
const FACTS: Readonly<Record<CallName, object>> = {
  createOnboarding: {
    onboarding_id: expect.stringMatching(/^ob_/),
    status: "pending",
    requires_manual_review: false,
    has_output: false,
    continues: false,
  },
  listUserOnboardings: { rows: 1, next_page: null },
  listBusinessOnboardings: { rows: 1, next_page: null },
  getOnboarding: { status: "pass", requires_manual_review: false, has_output: true, continues: false },
  validateSession: {
    user_onboarding_id: expect.stringMatching(/^ob_/),
    user_status: "pass",
    business_onboarding_id: null,
    business_status: null,
    bank_link: false,
    user_auth: false,
  },
  createClientToken: { expires_at: expect.stringMatching(/^20/), fields: 1 },
  decryptVault: { values: 1 },
  updateVault: { values: 2 },
  uploadToVault: { bytes: 4 },
  createCipReport: { result: "clear", watchlist_result: "clear" },
  getUser: { fields: expect.any(Number) },
  createBusiness: { business_id: expect.stringMatching(/^fp_bid_/), adopted: false },
  updateBusiness: { business_id: "fb_1" },
  getBusinessInsights: {
    names: expect.any(Number),
    people: expect.any(Number),
    registrations: expect.any(Number),
    watchlist_hits: expect.anything(),
  },
  listBankLinks: { rows: 1 },
  listUserAccounts: { rows: 1 },
  listLinkAccounts: { rows: 1 },
  listUserTransactions: { page: 1, total: 0, rows: 0 },
  listInvestmentTransactions: { page: 1, total: 5, rows: 5, securities: expect.any(Number) },
  syncTransactions: { has_more: false, created: 0, updated: 0, removed: 0 },
  importTransactions: { sent: 3, found: 0, unknown: 0 },
  callVaultProxy: { status: 201, bytes: 7 },
  sendTestWebhook: {},
};

describe("every operation is an activity", () => {
  it("named as in the registry, in its order, with a retry class", () => {
    expect(Object.values(CALLS).map(({ operation }) => operation.name)).toEqual(
      OPERATIONS.map(({ name }) => name),
    );
    expect(Object.keys(CALL_CLASSES)).toEqual(Object.keys(CALLS));
  });

  it("of a class that fits: what is read is read, what may harm when repeated says how it is settled", () => {
    for (const [name, part] of Object.entries(CALLS)) {
      const { method, idempotent } = part.operation;
      if (method === "GET") expect(CALL_CLASSES[name as CallName], name).toBe("read");
      if (idempotent) continue;
      expect(CALL_CLASSES[name as CallName], name).not.toBe("read");
      expect("settle" in part, name).toBe(true);
    }
  });

  it.each(Object.keys(CALLS) as CallName[])(
    "%s: its answer is kept, and a workflow is told facts",
    async (name) => {
      const { answer, facts, repeated } = await bench.attempt(name, "call");
      expect(facts).toEqual(FACTS[name]);
      expect(repeated).toBe("no");
      expect(await bench.deps.sealed.get(answer)).toMatchObject({
        operation: CALLS[name].operation.name,
        body: expect.anything(),
      });
    },
  );
});

describe("what a request breaks is refused before anything is sent", () => {
  it.each([
    ["a rule of the operation", "getUser", { params: { path: {} } }, /parameter fp_id/],
    [
      "a client operation of nobody",
      "decryptVault",
      { params: { body: { fields: ["id.dob"], reason: "r" } } },
      /names no owner/,
    ],
    ["bytes for JSON", "updateBusiness", { params: {}, bytes: { base64: "" } }, /takes no bytes/],
    [
      "a file that is not there",
      "uploadToVault",
      { params: { path: { identifier: "custom.x" } }, bytes: { file: "/nowhere" }, owner: { fp_id: "fp_1" } },
      /can't be read/,
    ],
    [
      "a stream that is not there",
      "callVaultProxy",
      { params: { path: { id: "p" } }, bytes: { stream: "_staging/x" } },
      /not in the lake's staging/,
    ],
  ] as const)("%s", async (_, name, request, message) => {
    bench.sandbox.clearRequests();
    const failure = await bench.failure(name, "call", request);
    expect(failure).toMatchObject({ type: "InputError", nonRetryable: true });
    expect(failure.message).toMatch(message);
    expect(failure.message).toMatch(/nothing was sent/);
    expect(bench.sandbox.calls().total).toBe(0);
  });
});

describe("client operations", () => {
  const tokens = () => bench.sandbox.requests({ operation: "create_client_token" }).length;

  it("make a token of their own, which is nowhere afterwards", async () => {
    bench.sandbox.clearRequests();
    for (const name of ["decryptVault", "updateVault", "createClientToken"] as const)
      await bench.attempt(name, name);
    expect(tokens()).toBe(3);
    for (const name of ["decryptVault", "updateVault", "createClientToken"]) {
      expect(JSON.stringify(await bench.answer(name))).not.toContain("fptok_");
    }
    const root = bench.deps.lake.store.address;
    const names = await readdir(root, { recursive: true, withFileTypes: true });
    for (const file of names.filter((one) => one.isFile())) {
      expect((await readFile(join(file.parentPath, file.name))).includes("fptok_"), file.name).toBe(false);
    }
  });

  it("try a second token where the first was refused: it may have expired on the way", async () => {
    bench.sandbox.clearRequests();
    bench.sandbox.addFault({ kind: "token_expired", operation: "decrypt_vault", times: 1 });
    expect((await bench.attempt("decryptVault", "call")).facts).toEqual({ values: 1 });
    expect(tokens()).toBe(2);
  });

  it("are refused requests, not refused keys, where no token is good enough", async () => {
    bench.sandbox.addFault({ kind: "token_expired", operation: "decrypt_vault" });
    expect(await bench.failure("decryptVault", "call")).toMatchObject({
      type: "RejectedError",
      nonRetryable: true,
    });
    expect((await bench.attempt("getUser", "other")).repeated).toBe("no");
  });
});

describe("bodies of any length", () => {
  // Without braces: by chance they would be a placeholder of the proxy.
  const bytes = Buffer.from(randomBytes(3 * 1024 * 1024 + 5).map((byte) => (byte === 0x7b ? 0 : byte)));
  const upload = { params: { path: { identifier: "custom.file" } }, owner: { fp_id: "fp_1" } };
  const uploaded = () => bench.sandbox.vaults.entry("fp_1", "custom.file") as { bytes?: Buffer } | undefined;

  it("go up from a file", async () => {
    const file = join(bench.deps.lake.store.address, "..", "scan.bin");
    await writeFile(file, bytes);
    expect((await bench.attempt("uploadToVault", "call", { ...upload, bytes: { file } })).facts).toEqual({
      bytes: bytes.length,
    });
    expect(uploaded()?.bytes?.equals(bytes)).toBe(true);
  });

  it("go up from the lake's staging area", async () => {
    await putStream(
      bench.deps.sealed,
      "_staging/run/scan",
      (async function* () {
        yield bytes;
      })(),
    );
    const request = { ...upload, bytes: { stream: "_staging/run/scan" } };
    expect((await bench.attempt("uploadToVault", "call", request)).facts).toEqual({ bytes: bytes.length });
    expect(uploaded()?.bytes?.equals(bytes)).toBe(true);
  });

  it("come from a proxy's target into a sealed stream, with status and headers", async () => {
    const request = { params: { path: { id: "proxy_1" } }, bytes: { base64: bytes.toString("base64") } };
    expect((await bench.attempt("callVaultProxy", "call", request)).facts).toEqual({
      status: 201,
      bytes: bytes.length,
    });
    const answer = (await bench.answer("call"))?.body as ProxyAnswer;
    expect(answer.headers).toMatchObject({ "content-type": "text/csv", "x-target": "yes" });
    const stream = await sealedStream(bench.deps.sealed, answer.body);
    const parts: Uint8Array[] = [];
    for await (const part of stream?.open() ?? []) parts.push(part);
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
  });
});

describe("a refusal of a repeated request", () => {
  it("leaves it unknown whether the business has the id by the first one", async () => {
    bench.sandbox.addFault({ kind: "reset", operation: "update_business", times: 1 });
    await bench.failure("updateBusiness", "call");
    bench.sandbox.businesses.add({ external_id: "shop-2" });
    expect(await bench.failure("updateBusiness", "call")).toMatchObject({ type: "LostAnswerError" });
  });

  it("to a first request is a refusal", async () => {
    bench.sandbox.businesses.add({ external_id: "shop-1" });
    expect(await bench.failure("createBusiness", "call")).toMatchObject({ type: "RejectedError" });
  });
});

describe("a failure says when to try again", () => {
  it.each([
    [
      "after what the service asked for",
      { kind: "status", status: 429, retryAfter: 7 },
      "RateLimitedError",
      7_000,
    ],
    ["also when it is down", { kind: "status", status: 503, retryAfter: 9 }, "TransientError", 9_000],
  ])("%s", async (_, fault, type, delay) => {
    bench.sandbox.addFault({ operation: "get_user", times: 1, ...fault } as never);
    const failure = await bench.failure("getUser", "call");
    expect(failure).toMatchObject({ type, nonRetryable: false });
    expect(Number(failure.nextRetryDelay)).toBeGreaterThan(delay - 1_500);
    expect(Number(failure.nextRetryDelay)).toBeLessThanOrEqual(delay);
  });

  it.each([
    [404, "NotFoundError"],
    [422, "RejectedError"],
    [401, "AuthError"],
    [302, "SchemaError"],
  ])("never, after status %i", async (status, type) => {
    bench.sandbox.addFault({ operation: "get_user", times: 1, kind: "status", status });
    const failure = await bench.failure("getUser", "call");
    expect(failure).toMatchObject({ type, nonRetryable: true });
    expect(failure.details).toEqual([{ operation: "get_user", sent: true, status }]);
  });
});
