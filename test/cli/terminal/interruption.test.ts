import { expect, test } from "vitest";
import { InterruptedError, withInterruption } from "../../../src/cli/terminal/interruption.js";

const listeners = () => process.listenerCount("SIGINT") + process.listenerCount("SIGTERM");

test("what a command took is released last in first out, and nobody listens for signals any more", async () => {
  const before = listeners();
  const released: string[] = [];
  const given = await withInterruption(async ({ releases }) => {
    expect(listeners()).toBe(before + 2);
    releases.add(() => void released.push("first"));
    releases.add(async () => void released.push("second"));
    return 7;
  });
  expect([given, released, listeners()]).toEqual([7, ["second", "first"], before]);
});

test("a command that fails releases all it took and keeps its failure, also where a release fails", async () => {
  const before = listeners();
  const released: string[] = [];
  const failed = withInterruption(async ({ releases }) => {
    releases.add(() => void released.push("first"));
    releases.add(() => Promise.reject(new Error("release")));
    throw new Error("work");
  });
  await expect(failed).rejects.toThrow("work");
  expect([released, listeners()]).toEqual([["first"], before]);
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s aborts, with words for a run that was not started",
  async (name) => {
    await withInterruption(async ({ signal }) => {
      process.emit(name);
      expect(signal.reason).toBeInstanceOf(InterruptedError);
      expect(String(signal.reason)).toContain("Nothing was started");
    });
  },
);
