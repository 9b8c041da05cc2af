import { afterEach, beforeEach, expect, test } from "vitest";
import { instantMs } from "../../../src/domain/service/instant.js";

const zone = process.env.TZ;
beforeEach(() => {
  process.env.TZ = "Asia/Tokyo";
});
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

test.for([
  ["2026-11-28T00:40:00", "2026-11-28T00:40:00.000Z"],
  ["2026-11-28 00:40:00.250", "2026-11-28T00:40:00.250Z"],
  ["2026-11-28T00:40:00.250z", "2026-11-28T00:40:00.250Z"],
  ["2026-11-28T00:40:00+02:00", "2026-11-27T22:40:00.000Z"],
  ["2026-11-28T00:40:00-0130", "2026-11-28T02:10:00.000Z"],
  ["2026-11-28", "2026-11-28T00:00:00.000Z"],
] as const)("in Tokyo %s is %s", ([text, instant]) => {
  expect(new Date(instantMs(text)).toISOString()).toBe(instant);
});

test("what is no time is none", () => {
  expect(instantMs("soon")).toBeNaN();
});
