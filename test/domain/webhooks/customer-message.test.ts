import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { customerWorkflowId, identityHash, identityOf } from "../../../src/domain/onboarding/identity.js";
import { BANK_LINK_UPDATED, EVENT_KINDS } from "../../../src/domain/service/event-kind.js";
import { customerMessage, customerWorkflowIds } from "../../../src/domain/webhooks/customer-message.js";
import { eventFacts } from "../../../src/domain/webhooks/event-facts.js";
import { COMPLETED_EVENT } from "../../helpers/api/service-rules.js";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
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

test("both names of a customer lead to the workflow that a batch gave them", () => {
  const ids = customerWorkflowIds(
    sha256,
    "scope",
    factsOf({ fp_id: "fp_1", external_id: "c-1", playbook_key: "pb" }),
  );
  const expected = [
    { fpId: "fp_1", externalId: null, vault: {} },
    { fpId: null, externalId: "c-1", vault: {} },
  ].map((customer) => customerWorkflowId("scope", "pb", identityHash(sha256, identityOf(customer))));
  expect(ids).toEqual(expected);
});

test("without a playbook there is no workflow to be found by name", () => {
  expect(customerWorkflowIds(sha256, "scope", factsOf({ playbook_key: undefined }))).toEqual([]);
});
