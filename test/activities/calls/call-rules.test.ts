import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCallBench } from "../../helpers/calls/call-bench.js";
import { eachTest } from "../../helpers/each-test.js";

const bench = eachTest(openCallBench);

describe("what a request breaks is refused before anything is sent", () => {
  it.each([
    ["a rule of the operation", "get_user", { params: { path: {} } }, /parameter fp_id/],
    [
      "a client operation of nobody",
      "decrypt_vault",
      { params: { body: { fields: ["id.dob"], reason: "r" } } },
      /names no owner/,
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
    await bench.attempt("decrypt_vault", "read");
    await bench.attempt("update_vault", "write");
    expect(tokens()).toBe(2);
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
    [401, "RejectedError"],
    [302, "SchemaError"],
  ])("never, after status %i", async (status, type) => {
    bench.sandbox.addFault({ operation: "get_user", times: 1, kind: "status", status });
    const failure = await bench.failure("get_user", "call");
    expect(failure).toMatchObject({ type, nonRetryable: true });
    expect(failure.details).toEqual([{ operation: "get_user", sent: true, status }]);
  });
});
