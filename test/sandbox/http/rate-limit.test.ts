import { afterEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { get } from "../../helpers/stand-in/reader.js";

let sandbox: Sandbox;
afterEach(() => sandbox?.close());

test("limits: so many calls of an operation about one link or user, and of all, until the window ends", async () => {
  const clock = { now: "2026-11-20T08:00:40Z", frozen: true };
  const limits = { subject: 2, app: 4, windowMs: 60_000 };
  sandbox = await startSandbox({ behaves: new Set(["limits", "two-dates"]), limits, clock });
  for (const fp_id of ["a", "b", "c"]) sandbox.addUser({ fp_id });
  const answers = async (...paths: string[]) => {
    const found: (string | number | null)[] = [];
    for (const path of paths) {
      const { status, headers } = await get(sandbox, path);
      found.push(status === 200 ? status : headers.get("retry-after"));
    }
    return found;
  };
  expect(await answers("/users/a", "/users/a", "/users/a", "/users/a/bank_links")).toEqual([
    200,
    200,
    "20",
    200,
  ]);
  const date = "Fri, 20 Nov 2026 08:01:00 GMT";
  expect(await answers("/users/b", "/users/b", "/users/c")).toEqual([200, 200, date]);
  expect((await get(sandbox, "/users/c/bank_links")).headers.get("date")?.split("GMT")).toHaveLength(3);
  sandbox.clock.advance(20_000);
  expect(await answers("/users/a", "/users/c")).toEqual([200, 200]);
});

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
