import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callRule } from "../../../src/activities/calls/call-rules.js";
import { OPERATIONS } from "../../../src/api/operations/index.js";
import type { ProxyAnswer } from "../../../src/lake/calls/staged-call.js";
import { putStream, sealedStream } from "../../../src/lake/store/sealed-store.js";
import { CALL_POLICIES } from "../../../src/workflows/policies.js";
import { type CallBench, openCallBench } from "../../helpers/calls/call-bench.js";

let bench: CallBench;
beforeEach(async () => {
  bench = await openCallBench();
});
afterEach(() => bench.close());

describe("every operation", () => {
  it("has a retry policy, in the order of the registry, and a valid request is tried", () => {
    const names = OPERATIONS.map(({ name }) => name);
    expect(Object.keys(CALL_POLICIES)).toEqual(names);
    expect(Object.keys(bench.requests)).toEqual(names);
  });

  it("has a policy that fits: what may harm when it is repeated is tried for a day, until its effect is known", () => {
    const daily = CALL_POLICIES.update_vault?.retry?.maximumAttempts;
    for (const { name, method, idempotent } of OPERATIONS) {
      const attempts = CALL_POLICIES[name]?.retry?.maximumAttempts ?? 0;
      if (!idempotent) expect(attempts, name).toBe(daily);
      if (method === "GET") expect(attempts, name).toBeLessThan(daily ?? 0);
    }
  });

  it.each(OPERATIONS.map(({ name }) => name))(
    "%s: its answer is kept, and its workflow is told nothing of it",
    async (name) => {
      expect(await bench.attempt(name, "call")).toEqual({ repeated: "no" });
      expect(await bench.answer("call")).toMatchObject({ operation: name, body: expect.anything() });
    },
  );

  it("is found by its name, and by no other", () => {
    expect(callRule("get_user").operation.name).toBe("get_user");
    expect(() => callRule("getUser")).toThrow("not an operation of the service; nothing was sent");
  });
});

describe("what a request breaks is refused before anything is sent", () => {
  it.each([
    ["a rule of the operation", "get_user", { params: { path: {} } }, /parameter fp_id/],
    [
      "a client operation of nobody",
      "decrypt_vault",
      { params: { body: { fields: ["id.dob"], reason: "r" } } },
      /names no owner/,
    ],
    ["bytes for JSON", "update_business", { params: {}, bytes: Buffer.alloc(0) }, /takes no bytes/],
    [
      "a stream that is not there",
      "call_vault_proxy",
      { params: { path: { id: "p" } }, bytes: { stream: "_staging/x", sha256: "" } },
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
    for (const name of ["decrypt_vault", "update_vault", "create_client_token"] as const)
      await bench.attempt(name, name);
    expect(tokens()).toBe(3);
    for (const name of ["decrypt_vault", "update_vault", "create_client_token"]) {
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
    await bench.attempt("decrypt_vault", "call");
    expect(tokens()).toBe(2);
  });

  it("are refused requests, not refused keys, where no token is good enough", async () => {
    bench.sandbox.addFault({ kind: "token_expired", operation: "decrypt_vault" });
    expect(await bench.failure("decrypt_vault", "call")).toMatchObject({
      type: "RejectedError",
      nonRetryable: true,
    });
    expect((await bench.attempt("get_user", "other")).repeated).toBe("no");
  });
});

describe("bodies of any length", () => {
  // Without braces: by chance they would be a placeholder of the proxy.
  const bytes = Buffer.from(randomBytes(3 * 1024 * 1024 + 5).map((byte) => (byte === 0x7b ? 0 : byte)));
  const upload = { params: { path: { identifier: "custom.file" } }, owner: { fp_id: "fp_1" } };
  const uploaded = () => bench.sandbox.vaults.entry("fp_1", "custom.file") as { bytes?: Buffer } | undefined;

  it("go up from the lake's staging area", async () => {
    const { sha256 } = await putStream(
      bench.deps.sealed,
      "_staging/run/scan",
      (async function* () {
        yield bytes;
      })(),
    );
    const request = { ...upload, bytes: { stream: "_staging/run/scan", sha256 } };
    await bench.attempt("upload_to_vault", "call", request);
    expect(uploaded()?.bytes?.equals(bytes)).toBe(true);
  });

  it("come from a proxy's target into a sealed stream, with status and headers", async () => {
    const request = { params: { path: { id: "proxy_1" } }, bytes };
    await bench.attempt("call_vault_proxy", "call", request);
    const answer = (await bench.answer("call"))?.body as ProxyAnswer;
    expect(answer).toMatchObject({ status: 201, bytes: bytes.length });
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
    await bench.failure("update_business", "call");
    bench.sandbox.businesses.add({ external_id: "shop-2" });
    expect(await bench.failure("update_business", "call")).toMatchObject({ type: "LostAnswerError" });
  });

  it("to a first request is a refusal", async () => {
    bench.sandbox.businesses.add({ external_id: "shop-1" });
    expect(await bench.failure("create_business", "call")).toMatchObject({ type: "RejectedError" });
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
    const failure = await bench.failure("get_user", "call");
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
    const failure = await bench.failure("get_user", "call");
    expect(failure).toMatchObject({ type, nonRetryable: true });
    expect(failure.details).toEqual([{ operation: "get_user", sent: true, status }]);
  });
});
