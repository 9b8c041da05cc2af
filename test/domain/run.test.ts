import { expect, test } from "vitest";
import { runId } from "../../src/domain/run.js";

test("a run id says kind, second and six random digits", () => {
  expect(runId("sync", new Date("2026-11-21T02:15:00.987Z"), "3f9c2a77")).toBe(
    "sync-20261121T021500Z-3f9c2a",
  );
});
