import { expect, test } from "vitest";
import { hasNews, NO_MAIL, withEvent } from "../../../../src/domain/onboarding/customer/customer-mail.js";
import { completed } from "../../../helpers/onboarding/customer-states.js";

test("a webhook that comes twice is kept once, also after it was read", () => {
  const mail = withEvent(NO_MAIL, completed("pass"));
  expect(withEvent(mail, completed("fail"))).toBe(mail);
  expect(withEvent({ ...mail, events: [] }, completed("pass")).events).toEqual([]);
  expect(hasNews(mail)).toBe(true);
});

test("only the last five hundred ids are remembered", () => {
  const events = Array.from({ length: 600 }, (_, n) => ({ ...completed("pass"), messageId: `msg_${n}` }));
  const { seen } = events.reduce(withEvent, NO_MAIL);
  expect(seen).toHaveLength(500);
  expect(seen.at(-1)).toBe("msg_599");
});

test("rows that wait say nothing new about the onboarding", () => {
  expect(hasNews({ ...NO_MAIL, stopped: true })).toBe(false);
});
