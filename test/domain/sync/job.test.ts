import { expect, test } from "vitest";
import { taskQueue } from "../../../src/domain/run.js";
import { jobText, type SyncOptions, syncWorkflowId } from "../../../src/domain/sync/job.js";

const OPTIONS: SyncOptions = {
  streams: ["accounts", "transactions"],
  links: null,
  full: false,
  pageSize: 500,
};

test("one job whatever order its streams and links were given in", () => {
  const one = jobText("r", { ...OPTIONS, links: ["b", "a", "b"] });
  expect(jobText("r", { ...OPTIONS, streams: ["transactions", "accounts"], links: ["a", "b"] })).toBe(one);
});

test("one job whatever the size of its pages", () => {
  expect(jobText("r", { ...OPTIONS, pageSize: 100 })).toBe(jobText("r", OPTIONS));
});

test("another roster, stream, link or --full is another job", () => {
  const texts = [
    jobText("r", OPTIONS),
    jobText("s", OPTIONS),
    jobText("r", { ...OPTIONS, streams: ["accounts"] }),
    jobText("r", { ...OPTIONS, links: [] }),
    jobText("r", { ...OPTIONS, links: ["a"] }),
    jobText("r", { ...OPTIONS, full: true }),
  ];
  expect(new Set(texts).size).toBe(texts.length);
});

test("ids are made of scope and hash alone", () => {
  expect(syncWorkflowId("0a1b2c3d", "f".repeat(64))).toBe("sync/0a1b2c3d/ffffffffffffffff");
  expect(taskQueue("0a1b2c3d")).toBe("nightledger-0a1b2c3d");
});

test("the days to look back are part of a job only where they are given: other jobs keep their ids", () => {
  expect(jobText("r", OPTIONS)).not.toContain("lookback");
  expect(jobText("r", { ...OPTIONS, lookback: 30 })).not.toBe(jobText("r", { ...OPTIONS, lookback: 31 }));
});
