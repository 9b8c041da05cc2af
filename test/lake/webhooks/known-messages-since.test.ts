import { expect, test } from "vitest";
import { firstCopiesSince } from "../../../src/lake/webhooks/known-messages.js";

const DAY = 86_400_000;

test.for([
  ["a new event needs the rows of a day", [{ at: 40 * DAY }], 39 * DAY],
  ["an event that is told again much later, those since then", [{ at: 5 * DAY }, { at: 40 * DAY }], 4 * DAY],
  ["one from the future, those of a day", [{ at: 1_000 * DAY }], 39 * DAY],
  ["one that names no time, those of thirty days", [{ at: null }, { at: 40 * DAY }], 10 * DAY],
] as const)("%s", ([, messages, since]) => {
  const received = messages.map(({ at }) => ({ messageId: "m", at }));
  expect(firstCopiesSince(received, 40 * DAY)).toBe(since);
});
