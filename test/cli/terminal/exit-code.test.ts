import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { EXIT, exitCodeOf, saidError } from "../../../src/cli/terminal/exit-code.js";
import { createS3Store } from "../../../src/lake/store/s3/s3-store.js";

test("a full HOME is told in words, with the file and what to do", () => {
  const raw = Object.assign(new Error("ENOSPC: no space left on device, write"), {
    code: "ENOSPC",
    path: "/srv/.nightledger/keys",
  });
  expect(saidError(raw).words).toMatch(
    /^TransientError: No space left to write \/srv\/.nightledger\/keys \(ENOSPC\)\. Nothing was published.*make room/,
  );
});

afterEach(() => vi.unstubAllEnvs());

test("a bucket that can't be reached is exit 3, at the start and midway", async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
  const directory = await mkdtemp(join(tmpdir(), "nightledger-scratch-"));
  try {
    // Nothing listens on port 1.
    const store = createS3Store("s3://bucket/tables", { directory, mostBytes: 1 }, "http://127.0.0.1:1");
    for (const ask of [
      () => store.checkWritable("NIGHTLEDGER_LAKE"),
      () => store.stat("runs/_delta_log/x"),
    ]) {
      const error = await ask().then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(String(error)).toMatch(/s3:\/\/bucket\/tables.* can't be reached .*ECONNREFUSED/);
      expect(exitCodeOf(error)).toBe(EXIT.unreachable);
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
