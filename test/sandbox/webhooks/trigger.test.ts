import { expect, test } from "vitest";
import { startSandbox, TRIGGERS } from "../../../sandbox/index.js";
import { EVENT_KINDS } from "../../../src/domain/service/event-kind.js";
import { eachTest } from "../../helpers/each-test.js";

const USER = "fp_id_00002";
const LINK = "link_fp_id_00002_1";

const sandbox = eachTest(() =>
  startSandbox({
    businesses: 1,
    population: { kind: "synthetic", users: 2, otherStates: true },
  }),
);

const newest = (user = USER) => sandbox.onboardings.of(user).at(-1);
const liveRows = () => [...sandbox.truthRows(LINK)].length;

test("there is a trigger for every kind, and each sends it about the named user", async () => {
  expect(Object.keys(TRIGGERS).sort()).toEqual([...EVENT_KINDS].sort());
  for (const kind of EVENT_KINDS) {
    const { messages } = await sandbox.trigger(kind, { user: USER });
    expect(messages, kind).toContainEqual(expect.objectContaining({ event_kind: kind, fp_id: USER }));
  }
});

test("a bank link: transactions come to it alone, then the webhook", async () => {
  const [rows, others] = [liveRows(), sandbox.totals("link_fp_id_00001_1")];
  const { messages } = await sandbox.trigger("service.user.bank_link_updated", { link: LINK });
  expect(liveRows()).toBeGreaterThan(rows);
  expect(sandbox.totals("link_fp_id_00001_1")).toEqual(others);
  expect(messages).toMatchObject([{ fp_id: USER, payload: { bank_link_id: LINK }, state: "no_endpoint" }]);
});

test("onboardings are what their webhooks say: begun, continued, passed, and turned around", async () => {
  await sandbox.trigger("service.onboarding.incomplete", { user: USER });
  expect(newest()).toMatchObject({ status: "incomplete", continuation: { token: expect.any(String) } });
  const { messages } = await sandbox.trigger("service.onboarding.completed");
  expect(messages).toMatchObject([{ fp_id: USER, payload: { onboarding_id: newest()?.id, status: "pass" } }]);
  expect(sandbox.onboardings.of(USER)).toMatchObject([{ status: "pass", continuation: undefined }]);
  await sandbox.trigger("service.user.manual_review");
  expect(newest()).toMatchObject({ status: "fail", reviewed_by: expect.any(String) });
  await sandbox.trigger("service.onboarding.completed", { user: "fp_bid_00001" });
  expect(newest("fp_bid_00001")).toMatchObject({ playbook_key: "pb_kyb", status: "pass" });
});

test("a pending onboarding that becomes incomplete can be continued; a script decides nothing else", async () => {
  const outcomes = [{ status: "pending" }, { status: "fail" }] as const;
  sandbox.playbooks.script({ entity: USER, outcomes });
  await sandbox.trigger("service.onboarding.completed", { user: USER });
  sandbox.onboardings.finish(newest()?.id ?? "", "pending");
  await sandbox.trigger("service.onboarding.incomplete", { user: USER });
  expect(sandbox.onboardings.of(USER)).toMatchObject([
    { status: "incomplete", continuation: { token: expect.any(String) } },
  ]);
});

test.each([
  ["bank_link_updated", {}, /Did you mean service\.user\.bank_link_updated\?.*service\.vault\.updated/],
  ["service.vault.updatd", {}, /Did you mean service\.vault\.updated\?/],
  ["nothing like it at all, not even near", {}, /there is no event .*\. Accepted: /],
  ["service.vault.updated", { user: "fp_none" }, /no user or business fp_none/],
  ["service.user.bank_link_updated", { user: "fp_bid_00001" }, /no connected bank link suits/],
  ["service.user.bank_link_updated", { user: USER, link: "link_fp_id_00001_1" }, /no connected bank link/],
  ["service.user.manual_review", {}, /nobody has an onboarding to review/],
])("%s %o is refused, and nothing is sent", async (kind, subject, words) => {
  await expect(sandbox.trigger(kind, subject)).rejects.toThrow(words);
  expect(sandbox.webhooks.messages().filter(({ fp_id }) => fp_id !== "fp_bid_00001")).toEqual([]);
});
