import { expect, test } from "vitest";
import { parseWorkerIdentity, workerIdentity } from "../../src/temporal/worker-identity.js";

test("a worker names its process and when it started", () => {
  const worker = parseWorkerIdentity(workerIdentity());
  expect(worker?.process).toMatch(new RegExp(`^${process.pid}@`));
  const startedAt = Date.parse(worker?.startedAt ?? "");
  expect(Math.abs(Date.now() - process.uptime() * 1_000 - startedAt)).toBeLessThan(60_000);
});

test.each([
  "1234@host",
  "",
  "1234@host since yesterday key new:0123",
  "x since 2026-11-22T02:11:03Z key a:b",
])("%j is not a worker of this version", (text) => {
  expect(parseWorkerIdentity(text)).toBeUndefined();
});
