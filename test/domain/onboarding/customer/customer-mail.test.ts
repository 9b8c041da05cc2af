import { expect, test } from "vitest";
import type { CustomerInput } from "../../../../src/domain/onboarding/batch/batch-rows.js";
import {
  countMail,
  mailAfter,
  NO_MAIL,
  withEvent,
  withWaiter,
} from "../../../../src/domain/onboarding/customer/customer-mail.js";
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
  const given = withEvent({ ...NO_MAIL, stops: ["onb_1"] }, completed("pass"));
  const count = countMail(given);
  const now = withEvent(
    { ...given, stops: ["onb_1", "onb_2"] },
    { ...completed("fail"), messageId: "msg_2" },
  );
  const after = mailAfter({ ...given, events: [], stops: [] }, now, count);
  expect(after).toMatchObject({
    events: [{ messageId: "msg_2" }],
    stops: ["onb_2"],
    seen: ["msg_1", "msg_2"],
  });
});

test("a row that is handed over again waits once", () => {
  const waiter = { batchWorkflowId: "b", runId: "r", row: 1 } as CustomerInput;
  const mail = withWaiter(NO_MAIL, waiter);
  expect(withWaiter(mail, { ...waiter })).toBe(mail);
  expect(withWaiter(mail, { ...waiter, runId: "later" }).waiters).toHaveLength(2);
});
