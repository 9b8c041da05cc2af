import { afterEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { get } from "../../helpers/stand-in/reader.js";

let sandbox: Sandbox;
afterEach(() => sandbox?.close());

test("rate limit: a second's worth at once, then 429 with Retry-After, refilled by time, key by key", async () => {
  sandbox = await startSandbox({
    apiKeys: ["one", "two"],
    rateLimit: { perSecond: 3 },
    clock: { now: "2026-11-20T08:00:00Z", frozen: true },
  });
  sandbox.addUser({ fp_id: "u" });
  const statuses = async (key: string, calls: number) => {
    const found: number[] = [];
    for (let i = 0; i < calls; i++) found.push((await get(sandbox, "/users/u", key)).status);
    return found;
  };
  expect(await statuses("one", 4)).toEqual([200, 200, 200, 429]);
  expect(await statuses("two", 1)).toEqual([200]);
  expect((await get(sandbox, "/users/u", "one")).headers.get("retry-after")).toBe("1");
  sandbox.clock.advance(700);
  expect(await statuses("one", 3)).toEqual([200, 200, 429]);
  sandbox.rates.set({ perSecond: 1, retryAfterSeconds: null });
  expect(await statuses("one", 2)).toEqual([200, 429]);
  expect((await get(sandbox, "/users/u", "one")).headers.has("retry-after")).toBe(false);
  sandbox.rates.set(undefined);
  expect(await statuses("one", 5)).toEqual([200, 200, 200, 200, 200]);
});
