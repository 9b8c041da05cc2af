import { describe, expect, it, test } from "vitest";
import { eventFacts } from "../../../src/domain/webhooks/event-facts.js";
import { planEvents, toldByReceivers } from "../../../src/domain/webhooks/event-plan.js";

const event = (id: string, payload: object = {}) => {
  const facts = eventFacts({ event_kind: "service.onboarding.completed", playbook_key: "pb_1", ...payload });
  if (facts === undefined) throw new Error("no event");
  return { name: `n${id}`, messageId: `m${id}`, facts };
};
const NONE = new Map<string, boolean>();
const ids = (events: readonly { messageId: string }[]) => events.map(({ messageId }) => messageId);

test("only events that the table does not have are fresh", () => {
  const { fresh, untold } = planEvents([event("1"), event("2")], new Set(["m1"]), NONE);
  expect([ids(fresh), ids(untold)]).toEqual([["m2"], ["m2"]]);
});

describe("a customer was told of an event", () => {
  it.each<[string, object, Map<string, boolean>, Record<string, boolean>]>([
    ["by a receiver, and took it", {}, new Map([["n1", true]]), { m1: true }],
    ["by a receiver, and nobody waited", {}, new Map([["n1", false]]), { m1: false }],
    ["not where nothing says so", {}, NONE, {}],
    ["not where the event names no playbook", { playbook_key: null }, new Map([["n1", true]]), {}],
  ])("%s", (_, payload, receipts, expected) => {
    const events = [event("1", payload)];
    const told = toldByReceivers(events, receipts);
    expect(Object.fromEntries(told)).toEqual(expected);
    expect(ids(planEvents(events, new Set(), told).untold)).toEqual("m1" in expected ? [] : ["m1"]);
  });
});

test("a changed bank link of a known user asks for a follow-up, unless its message is in the table", () => {
  const changed = { event_kind: "service.user.bank_link_updated", fp_id: "fp_1", bank_link_id: "l1" };
  const events = [
    event("1", changed),
    event("2", { ...changed, fp_id: undefined }),
    event("3", changed),
    event("4"),
  ];
  expect(planEvents(events, new Set(["m3"]), NONE).followUps).toEqual([
    { name: "n1", fpId: "fp_1", bankLinkId: "l1" },
  ]);
});
