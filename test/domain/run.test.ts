import { expect, test } from "vitest";
import { runId, startOfRun } from "../../src/domain/run.js";

test("a run id says kind, second and six random digits", () => {
  expect(runId("sync", new Date("2026-11-21T02:15:00.987Z"), "3f9c2a77")).toBe(
    "sync-20261121T021500Z-3f9c2a",
  );
});

test("a run id says when its run was asked for, whatever the words of its kind", () => {
  expect(startOfRun("sync-20261121T021500Z-3f9c2a")).toBe("2026-11-21T02:15:00Z");
  expect(startOfRun("some-kind-20261121T021500Z-3f9c2a")).toBe("2026-11-21T02:15:00Z");
});
