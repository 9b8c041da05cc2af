import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MINUTE } from "../../../src/domain/duration.js";
import { lastPulse, notePulse } from "../../../src/lake/bulk/run-pulse.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { SealedStore } from "../../../src/lake/store/sealed-store.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { TEST_KEYS } from "../../helpers/temporal/temporal-environment.js";

const RUN = { staging: "import-1", runId: "import-a" };
let directory: string;
let sealed: SealedStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nightledger-pulse-"));
  sealed = new SealedStore(createLocalStore(directory), createSealer(TEST_KEYS));
  vi.useFakeTimers({ toFake: ["Date"], now: 0 });
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(directory, { recursive: true, force: true });
});

/** Works at this minute, with a HOME that was started at another; the minute since which the run counts as resumed. */
async function work(minute: number, homeStarted = 0, run = RUN, continued = 0): Promise<number> {
  vi.setSystemTime(minute * MINUTE);
  const given = { homeStartedAt: homeStarted * MINUTE, continuedAt: continued * MINUTE };
  return (await notePulse(sealed, run, "begins", given)) / MINUTE;
}

test("a run has resumed where it did not work for longer than it ever waits for the service, and stays so", async () => {
  expect([await work(1), await work(17), await work(34), await work(35)]).toEqual([0, 0, 34, 34]);
  expect(await work(36, 0, RUN, 36)).toBe(34);
  expect(await work(53)).toBe(53);
});

// On one machine each command starts HOME anew: a run that was held could not be continued by any of them.
test("a run that was held since it resumed keeps that, until the user has had it continue and it was away again", async () => {
  expect([await work(1), await work(2, 1.5), await work(30, 29), await work(60, 59, RUN, 60)]).toEqual([
    0, 2, 2, 2,
  ]);
  expect([await work(61, 59, RUN, 60), await work(62, 61.5, RUN, 60)]).toEqual([2, 62]);
});

test("a step that takes an hour is no gap", async () => {
  await work(1);
  vi.setSystemTime(61 * MINUTE);
  expect(await notePulse(sealed, RUN, "ends", { homeStartedAt: 2 * MINUTE })).toBe(0);
  expect(await work(62)).toBe(0);
});

test("a run has resumed where its HOME was started after it last worked", async () => {
  expect([await work(1), await work(2, 1.5), await work(3, 1.5)]).toEqual([0, 2, 2]);
});

test("another run of the same rows begins anew", async () => {
  await work(1);
  expect(await work(60, 50, { ...RUN, runId: "import-b" })).toBe(0);
  expect(await lastPulse(sealed, RUN)).toBe(MINUTE);
});
