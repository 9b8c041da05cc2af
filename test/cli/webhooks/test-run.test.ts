import { expect, test } from "vitest";
import { checkRequest } from "../../../src/api/http/request.js";
import { sendTestWebhook } from "../../../src/api/operations/webhook-test.js";
import { testEvent } from "../../../src/cli/webhooks/test-run.js";
import { EVENT_KINDS } from "../../../src/domain/service/event-kind.js";
import { eventFacts } from "../../../src/domain/webhooks/event-facts.js";

test.each(EVENT_KINDS)("a test of %s is one that the service takes, and about nobody", (kind) => {
  const payload = testEvent(kind, { mark: "m", isLive: true, at: new Date(0) });
  expect(() => checkRequest(sendTestWebhook, { body: { payload } })).not.toThrow();
  const facts = eventFacts(payload);
  expect(facts).toMatchObject({ kind, known: true, onboardingId: "m", isLive: true, bankLinkId: null });
  expect(facts?.fpId ?? "nightledger-test").toBe("nightledger-test");
});
