import { expect, test } from "vitest";
import { BANK_LINK_UPDATED, EVENT_KINDS } from "../../../src/domain/service/event-kind.js";
import { eventFacts } from "../../../src/domain/webhooks/event-facts.js";
import { customerMessage } from "../../../src/domain/webhooks/messages.js";
import { COMPLETED_EVENT } from "../../helpers/api/service-rules.js";

const factsOf = (fields: object) => eventFacts({ ...COMPLETED_EVENT, ...fields })!;

test.each(EVENT_KINDS)("%s is told to a customer, unless it is about a bank link", (event_kind) => {
  const message = customerMessage("m", factsOf({ event_kind }));
  if (event_kind === BANK_LINK_UPDATED) expect(message).toBeNull();
  else expect(message).toMatchObject({ messageId: "m", kind: event_kind, status: COMPLETED_EVENT.status });
});

test("a kind that nobody knows wakes nobody", () => {
  expect(customerMessage("m", factsOf({ event_kind: "service.new" }))).toBeNull();
});

test("a customer is told nothing personal", () => {
  const facts = factsOf({ fp_id: "fp_PLANTED", external_id: "PLANTED" });
  expect(JSON.stringify(customerMessage("m", facts))).not.toContain("PLANTED");
});
