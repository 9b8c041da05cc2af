import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eventFacts, messageIdProblem } from "../../../src/domain/webhooks/event-facts.js";
import { COMPLETED_EVENT } from "../../helpers/api/service-rules.js";

describe("a completed onboarding", () => {
  test("says all that the document shows", () => {
    expect(eventFacts({ ...COMPLETED_EVENT, timestamp: "2026-11-20T08:00:00.5+02:00" })).toMatchObject({
      kind: "service.onboarding.completed",
      known: "service.onboarding.completed",
      fpId: COMPLETED_EVENT.fp_id,
      onboardingId: COMPLETED_EVENT.onboarding_id,
      playbookKey: COMPLETED_EVENT.playbook_key,
      playbookVersion: COMPLETED_EVENT.playbook_version,
      status: COMPLETED_EVENT.status,
      review: COMPLETED_EVENT.requires_manual_review,
      isLive: COMPLETED_EVENT.is_live,
      timestamp: "2026-11-20T08:00:00.5+02:00",
      at: Date.UTC(2026, 10, 20, 6, 0, 0, 500),
    });
  });
});

test("a kind that is new is not a mistake", () => {
  expect(eventFacts({ event_kind: "service.planet.discovered" })).toMatchObject({
    kind: "service.planet.discovered",
    known: null,
    fpId: null,
  });
});

test.each([
  ["another prefix", { event_kind: "acme.user.bank_link_updated" }, "service.user.bank_link_updated", null],
  [
    "the deprecated kind",
    { event_kind: "acme.onboarding.status_changed", new_status: "pass" },
    "service.onboarding.completed",
    "pass",
  ],
  ["no prefix", { event_kind: "onboarding.completed" }, null, null],
  ["no kind, as before there was one", { fp_id: "u" }, null, null],
  ["a kind that is not text", { event_kind: 7 }, null, null],
])("%s is known by what follows the first dot", (_, payload, known, status) => {
  expect(eventFacts(payload)).toMatchObject({ known, status });
});

test.each([
  ["2026-11-20T08:00:00.123456789Z", 123],
  ["2026-11-20T08:00:00", 0],
])("the time %s is an instant", (timestamp, ms) => {
  expect(eventFacts({ timestamp })?.at).toBe(Date.UTC(2026, 10, 20, 8, 0, 0, ms));
});

test.each([
  ["null", null],
  ["a list", []],
  ["a text", "x"],
])("%s is not an event", (_, payload) => {
  expect(eventFacts(payload)).toBeUndefined();
});

test.each([
  ["fp_id", "a/b", "fpId"],
  ["fp_id", "a\u0000b", "fpId"],
  ["external_id", "\ud800", "externalId"],
  ["external_id", "x".repeat(513), "externalId"],
  ["playbook_version", 1.5, "playbookVersion"],
  ["playbook_version", 3e9, "playbookVersion"],
  ["playbook_version", "1", "playbookVersion"],
  ["is_live", "true", "isLive"],
  ["requires_manual_review", null, "review"],
  ["timestamp", "2026-11-20", "at"],
  ["timestamp", "2026-11-32T08:00:00Z", "at"],
  ["timestamp", "9999-12-31T23:59:59-01:00", "at"],
  ["timestamp", "0001-01-01T00:00:00+01:00", "at"],
  ["timestamp", "yesterday", "at"],
] as const)("%s %j is as if it were not there", (name, value, fact) => {
  expect(eventFacts({ event_kind: "service.vault.updated", [name]: value })?.[fact]).toBeNull();
});

test.each([{ bank_link_id: "l" }, { link_id: "l" }, { bank_link: { id: "l" } }])(
  "a bank link is named by %j",
  (named) => {
    expect(eventFacts({ event_kind: "service.user.bank_link_updated", ...named })?.bankLinkId).toBe("l");
  },
);

test("no JSON value is taken for something that fits in no column", () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom("fp_id", "external_id", "status", "timestamp"), (json, name) => {
      const facts = eventFacts({ event_kind: "k", [name]: JSON.parse(json) });
      for (const value of Object.values(facts ?? {})) {
        if (typeof value === "string") expect(Buffer.from(value).toString()).toBe(value);
        else expect(["boolean", "number", "object"]).toContain(typeof value);
      }
    }),
  );
});

test("an id of a message is plain text of some length", () => {
  expect(messageIdProblem("msg_2b")).toBeUndefined();
  expect(messageIdProblem("")).toMatch(/empty/);
  expect(messageIdProblem("x".repeat(513))).toMatch(/longer/);
  expect(messageIdProblem("a\nb")).toMatch(/plain/);
});
