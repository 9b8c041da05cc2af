import { expect, test } from "vitest";
import { NEXT_ACTIONS } from "../../../src/domain/onboarding/customer/next-action.js";
import { rowsOver } from "../../helpers/query/lake-of-rows.js";

type Values = Readonly<Record<string, unknown>>;
const at = (day: number, hour = 0) => `2026-01-0${day}T${String(hour).padStart(2, "0")}:00:00.000000Z`;

/** A row of `onboardings` that began on the first day at midnight. */
const outcome = (line: number, status: string, more: Values = {}) => ({
  ...{ batch_id: "onb_1", line, attempt: 1, version: 1, status, started_at: at(1) },
  ...more,
});
const event = (line: number, status: string, when: string, more: Values = {}) => ({
  ...{ batch_id: "onb_1", line, attempt: 1, version: 1, event: "recorded", status, at: when },
  ...more,
});

const REVIEW = { requires_manual_review: true };
/** What a row's outcome says, and the state that it has in the queue; null for one that is not there. */
const STATES: readonly (readonly [string, Values, string | null])[] = [
  ["pass", {}, null],
  ["fail", {}, null],
  ["pass", { next_action: NEXT_ACTIONS.version }, "check"],
  ["pass", { ...REVIEW, next_action: NEXT_ACTIONS.review }, "review"],
  ["pending", { ...REVIEW, next_action: NEXT_ACTIONS.review }, "review"],
  ["fail", { ...REVIEW, next_action: NEXT_ACTIONS.answer }, "customer"],
  ["needs_customer", { next_action: NEXT_ACTIONS.follow }, "customer"],
  ["needs_customer", { next_action: NEXT_ACTIONS.resend }, "customer"],
  ["pending", { next_action: NEXT_ACTIONS.wait }, "decision"],
  ["none", { next_action: NEXT_ACTIONS.decide }, "check"],
  ["a_new_one", { next_action: NEXT_ACTIONS.decide }, "check"],
  ["error", { next_action: NEXT_ACTIONS.failed }, "failed"],
  ["failed", { ...REVIEW, next_action: NEXT_ACTIONS.failed }, "failed"],
  ["invalid", { started_at: null }, "failed"],
  ["expired_no_response", { next_action: NEXT_ACTIONS.expired }, "expired"],
  ["cancelled", { next_action: NEXT_ACTIONS.cancelled }, "cancelled"],
];

test("onboarding_queue says what each row waits for, and leaves out those that are done", async () => {
  const onboardings = STATES.map(([status, more], line) => outcome(line, status, more));
  const found = await rowsOver({ onboardings }, "select line, state from onboarding_queue order by line");
  expect(found).toEqual(STATES.flatMap(([, , state], line) => (state === null ? [] : [{ line, state }])));
});

test("a row of the queue waits since it came into its status, in its latest attempt", async () => {
  const tables = {
    onboardings: [
      outcome(1, "failed", { settled_at: at(1, 1) }),
      outcome(1, "needs_customer", { attempt: 2, started_at: at(2) }),
      outcome(1, "needs_customer", { attempt: 2, version: 2, started_at: at(2), next_action: "resend" }),
      outcome(2, "fail", { ...REVIEW, settled_at: at(1, 5), external_id: "c-2", onboarding_id: "ob_2" }),
      outcome(3, "pending"),
      outcome(3, "pass", { version: 2, settled_at: at(2) }),
      outcome(1, "pending", { batch_id: "onb_2", started_at: at(3) }),
    ],
    onboarding_events: [
      event(1, "failed", at(1, 1)),
      event(1, "incomplete", at(2, 3), { attempt: 2, event: "service.onboarding.incomplete" }),
      event(1, "needs_customer", at(4), { attempt: 2, version: 2 }),
    ],
  };
  const sql = `select batch_id, line, attempt, state, since, external_id, onboarding_id, next_action,
    abs(age_s - epoch(now() - since)) < 60 as is_its_age from onboarding_queue order by batch_id, line`;
  const nothing = { external_id: null, onboarding_id: null, next_action: null, is_its_age: true };
  expect(await rowsOver(tables, sql)).toEqual([
    {
      ...{ ...nothing, batch_id: "onb_1", line: 1, attempt: 2, state: "customer", since: at(2, 3) },
      next_action: "resend",
    },
    {
      ...{ ...nothing, batch_id: "onb_1", line: 2, attempt: 1, state: "review", since: at(1, 5) },
      ...{ external_id: "c-2", onboarding_id: "ob_2" },
    },
    { ...nothing, batch_id: "onb_2", line: 1, attempt: 1, state: "decision", since: at(3) },
  ]);
});

test("batch_burndown counts each row as what it was at the day's end, and its decision once", async () => {
  const tables = {
    onboardings: [
      outcome(1, "pass", { settled_at: at(1, 1) }),
      outcome(2, "pass", { settled_at: at(1, 3) }),
      // A reviewer keeps the verdict, and so its time.
      outcome(3, "fail", { ...REVIEW, settled_at: at(1, 2) }),
      outcome(3, "fail", { version: 2, settled_at: at(1, 2) }),
      // Fails, and passes in its second attempt.
      outcome(4, "failed", { settled_at: at(1, 4) }),
      outcome(4, "pass", { attempt: 2, started_at: at(2), settled_at: at(2, 6) }),
      // Begins on the first day, and has its first outcome on the second, its end on the fourth.
      outcome(5, "needs_customer"),
      outcome(5, "expired_no_response", { version: 2, settled_at: at(4) }),
      outcome(6, "invalid", { started_at: null }),
      outcome(1, "pending", { batch_id: "onb_2" }),
    ],
    onboarding_events: [
      event(3, "fail", at(1, 2)),
      event(3, "fail", at(3), { version: 2, event: "service.user.manual_review" }),
      event(5, "needs_customer", at(2, 1)),
      event(5, "needs_customer", at(2, 2), { event: "looked" }),
      event(6, "invalid", at(1)),
    ],
  };
  const found = await rowsOver(tables, "select * from batch_burndown order by batch_id, day");
  const names = ["pass_total", "fail_total", "review_total", "other_total", "open"] as const;
  expect(
    found.map((row) => [row.batch_id, row.day, row.started, row.decided, ...names.map((name) => row[name])]),
  ).toEqual([
    ["onb_1", "2026-01-01", 6, 3, 2, 0, 1, 2, 1],
    ["onb_1", "2026-01-02", 0, 1, 3, 0, 1, 1, 1],
    ["onb_1", "2026-01-03", 0, 0, 3, 1, 0, 1, 1],
    ["onb_1", "2026-01-04", 0, 0, 3, 1, 0, 2, 0],
    ["onb_2", "2026-01-01", 1, 0, 0, 0, 0, 0, 1],
  ]);
  expect(found.map(({ started_total, median_s, p90_s }) => [started_total, median_s, p90_s])).toEqual([
    [6, 7200, 10080],
    [6, 21600, 21600],
    [6, null, null],
    [6, null, null],
    [1, null, null],
  ]);
});

test("a lake without a batch, and a batch without outcomes, have no rows in either view", async () => {
  const runs = [{ run_id: "onboard-1", job_id: "onb_1", kind: "onboard", status: "failed" }];
  for (const view of ["onboarding_queue", "batch_burndown"]) {
    expect(await rowsOver({ runs }, `select * from ${view}`)).toEqual([]);
  }
});
