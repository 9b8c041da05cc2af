import { expect, test } from "vitest";
import { againWords, endReason, NO_REASON, runId, startOfRun } from "../../src/domain/run.js";

test("a run id says kind, second and six random digits", () => {
  expect(runId("sync", new Date("2026-11-21T02:15:00.987Z"), "3f9c2a77")).toBe(
    "sync-20261121T021500Z-3f9c2a",
  );
});

test("a run id says when its run was asked for, whatever the words of its kind", () => {
  expect(startOfRun("sync-20261121T021500Z-3f9c2a")).toBe("2026-11-21T02:15:00Z");
  expect(startOfRun("some-kind-20261121T021500Z-3f9c2a")).toBe("2026-11-21T02:15:00Z");
});

const whole = (words: string) => `${words}: nightledger runs retry sync-1`;

test.each<[string, Parameters<typeof endReason>[0], ReturnType<typeof endReason>, string | undefined]>([
  ["it completed", { status: "completed" }, NO_REASON, undefined],
  ["it has not ended", { status: "paused" }, NO_REASON, undefined],
  [
    "it was cancelled, whatever failed before",
    { status: "cancelled", unauthorized: true, step: "Error: no" },
    { reason: "cancelled", message: "it was cancelled; what it had finished is kept" },
    whole("to do the whole run again"),
  ],
  [
    "the service refused the key",
    { status: "failed", unauthorized: true },
    {
      reason: "credentials_refused",
      message: "the service refused the API key; what it had finished is kept",
    },
    whole("check the key (nightledger check), then do the whole run again"),
  ],
  [
    "the key is good, and may not make a call",
    { status: "failed", unauthorized: "list_accounts" },
    {
      reason: "credentials_refused",
      message: expect.stringMatching(
        /^the key may not call list_accounts: .*; what it had finished is kept$/,
      ),
    },
    whole("check the key (nightledger check), then do the whole run again"),
  ],
  [
    "the disk was full",
    { status: "failed", step: "TransientError: No space left to write /lake/x (ENOSPC)." },
    { reason: "lake_full", message: "No space left to write /lake/x (ENOSPC)." },
    whole("make room, then do the whole run again"),
  ],
  [
    "what it staged is gone",
    { status: "failed", step: "StagingLostError: _staging/x is gone" },
    { reason: "staging_lost", message: "_staging/x is gone" },
    "find out what deletes the lake's staging area, then give the same command again",
  ],
  [
    "a step failed while others did not",
    { status: "completed_with_failures", step: "Error: no", failed: { "user% failed": 1 } },
    { reason: "step_failed", message: "Error: no" },
    whole("fix that, then do the whole run again"),
  ],
  [
    "some failed, most of them alike",
    {
      status: "completed_with_failures",
      failed: { "bank link% failed": 3, "user% failed": 0, "row% quarantined": 2 },
      reasons: ["schema", "http_503", "http_503"],
    },
    { reason: "some_failed", message: "3 bank links failed, 2 rows quarantined (most often: http_503)" },
    undefined,
  ],
  [
    "rows went into quarantine alone",
    { status: "completed_with_failures", failed: { "row% quarantined": 1 } },
    { reason: "some_failed", message: "1 row quarantined" },
    undefined,
  ],
])("why a run ended as it did, and what to do: %s", (_, facts, why, words) => {
  expect(endReason(facts)).toEqual(why);
  expect(againWords(why, { run_id: "sync-1" })).toBe(words);
});

test("a scheduled run that did not begin is triggered again", () => {
  const why = { reason: "not_begun", message: "no users.csv" } as const;
  expect(againWords(why, { run_id: "sync-1", schedule: "nightly" })).toBe(
    "fix that, then: nightledger schedule trigger nightly",
  );
});
