import { expect, test } from "vitest";
import { mailAfter, NO_MAIL, withEvent } from "../../../../src/domain/onboarding/customer/customer-mail.js";
import { VALIDATED } from "../../../../src/domain/onboarding/messages.js";
import { completed } from "../../../helpers/onboarding/customer-states.js";

test("a webhook that comes twice is kept once, also after it was read", () => {
  const mail = withEvent(NO_MAIL, completed("pass"));
  expect(withEvent(mail, completed("fail"))).toBe(mail);
  expect(withEvent({ ...mail, events: [] }, completed("pass")).events).toEqual([]);
});

test("only the last five hundred ids are remembered", () => {
  const events = Array.from({ length: 600 }, (_, n) => ({ ...completed("pass"), messageId: `msg_${n}` }));
  const { seen } = events.reduce(withEvent, NO_MAIL);
  expect(seen).toHaveLength(500);
  expect(seen.at(-1)).toBe("msg_599");
});

test("validations of sessions are all kept: they have no id", () => {
  const session = { ...completed("pass"), kind: VALIDATED, messageId: null } as const;
  expect([session, session].reduce(withEvent, NO_MAIL)).toMatchObject({
    events: [session, session],
    seen: [],
  });
});

test("what came while a step was under way stays, behind what the step left", () => {
  const given = withEvent(NO_MAIL, completed("pass"));
  const now = withEvent(given, { ...completed("fail"), messageId: "msg_2" });
  const after = mailAfter({ ...given, events: [] }, now, given.events.length);
  expect(after).toMatchObject({ events: [{ messageId: "msg_2" }], seen: ["msg_1", "msg_2"] });
});
