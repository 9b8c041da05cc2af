import { expect, test } from "vitest";
import { DAY, HOUR } from "../../../../src/domain/duration.js";
import { NEXT_ACTIONS } from "../../../../src/domain/onboarding/customer/next-action.js";
import { readPage } from "../../../helpers/board/read-page.js";
import { sayHere } from "../../../helpers/command/command-here.js";
import { eachFile } from "../../../helpers/each-test.js";
import { lakeOfRows } from "../../../helpers/query/lake-of-rows.js";

const HOSTILE = '<img src=x onerror="alert(1)">';
const OLD = `onb_${"0".repeat(24)}`;
const NEW = `onb_${"1".repeat(24)}`;
const EMPTY = `onb_${"2".repeat(24)}`;
const today = Math.floor(Date.now() / DAY) * DAY;
const ago = (days: number, hours = 0) => new Date(today - days * DAY + hours * HOUR).toISOString();
const outcome = (
  batch_id: string,
  line: number,
  status: string,
  more: Readonly<Record<string, unknown>> = {},
) => ({
  ...{
    batch_id,
    run_id: "onboard-1",
    line,
    attempt: 1,
    version: 1,
    kind: "user",
    status,
    playbook_key: "pb_1",
  },
  ...{ started_at: ago(5), external_id: `c-${line}` },
  ...more,
});
const REVIEW = { requires_manual_review: true, next_action: NEXT_ACTIONS.review };
const FAILED = { next_action: NEXT_ACTIONS.failed, error_class: "RejectedError", error_message: HOSTILE };

interface Model {
  readonly burndown: { readonly batches: object };
  readonly queue: { readonly states: readonly object[]; readonly rows: readonly object[] };
  readonly commands: readonly string[];
}

const lake = eachFile(() =>
  // Nothing works on the new one, and its run has no row.
  lakeOfRows(
    {
      onboardings: [
        ...Array.from({ length: 60 }, (_, line) =>
          outcome(OLD, line, "pass", { ...REVIEW, settled_at: ago(5, 1) }),
        ),
        outcome(OLD, 60, "pass", { settled_at: ago(5, 3) }),
        outcome(OLD, 61, "needs_customer", { settled_at: ago(5, 1), next_action: NEXT_ACTIONS.follow }),
        outcome(OLD, 61, "expired_no_response", {
          version: 2,
          settled_at: ago(2),
          next_action: NEXT_ACTIONS.expired,
        }),
        outcome(NEW, 1, "failed", {
          ...FAILED,
          started_at: ago(1),
          settled_at: ago(1, 1),
          external_id: HOSTILE,
        }),
        outcome(NEW, 2, "fail", { started_at: ago(1), settled_at: ago(1, 2) }),
      ],
      runs: [
        {
          run_id: "onboard-1",
          kind: "onboard",
          job_id: OLD,
          status: "completed",
          started_at: ago(5),
          finished_at: ago(5, 4),
        },
        {
          run_id: "onboard-2",
          kind: "onboard",
          job_id: EMPTY,
          status: "cancelled",
          started_at: ago(5),
          finished_at: ago(5),
        },
      ],
    },
    [NEW],
  ),
);
test("batches stand the newest first, rows wait by state and age, and the burn-down adds them up", async () => {
  const { model, body } = await readPage<Model>(lake, "/onboarding");
  expect(model.burndown.batches).toMatchObject({
    total: 2,
    rows: [
      { batch_id: NEW, started: 2, pass: 0, fail: 1, review: 0, other: 1, open: 0 },
      { batch_id: OLD, started: 62, pass: 1, fail: 0, review: 60, other: 1, open: 0 },
    ],
  });
  expect(model.queue.states).toEqual([
    { state: "review", ages: [0, 0, 60, 0], total: 60 },
    { state: "failed", ages: [expect.any(Number), expect.any(Number), 0, 0], total: 1 },
    { state: "expired", ages: [0, 1, 0, 0], total: 1 },
  ]);
  expect(model.queue.rows).toHaveLength(52);
  expect(model.burndown).toMatchObject({
    days: [
      { day: ago(5).slice(0, 10), open: 1, review: 60 },
      { day: ago(2).slice(0, 10), open: 0, review: 60 },
      { day: ago(1).slice(0, 10), open: 0, review: 60 },
    ],
    times: {
      total: 2,
      rows: [
        { batch_id: NEW, day: ago(1).slice(0, 10), decided: 1, median_s: 7200, p90_s: 7200 },
        { batch_id: OLD, day: ago(5).slice(0, 10), decided: 61, median_s: 3600, p90_s: 3600 },
      ],
    },
  });
  expect(body.html).toContain("10 more: ");
  expect(body.html).not.toContain("<img");
});

test("a batch has what batch show prints, its own queue, and the commands that fit", async () => {
  for (const [id, verbs] of [
    [OLD, ["retry"]],
    [NEW, ["resume", "cancel"]],
    [EMPTY, []],
  ] as const) {
    const { model, body } = await readPage<Model>(lake, `/onboarding/${id}`);
    const { said } = await sayHere(lake, "runs", "show", id);
    expect(model).toMatchObject(said);
    expect(model.commands).toEqual(verbs.map((verb) => `nightledger runs ${verb} ${id}`));
    expect(body.html).not.toContain("<img");
  }
  const { model, body } = await readPage<Model>(lake, `/onboarding/${NEW}`);
  expect(model.queue.rows).toMatchObject([{ batch_id: NEW, line: 1, state: "failed" }]);
  expect(body.html).toContain(`nightledger runs resume ${NEW}`);
  await expect(readPage(lake, "/onboarding/onb_1")).rejects.toThrow("not the id of a batch");
  await expect(readPage(lake, `/onboarding/onb_${"3".repeat(24)}`)).rejects.toThrow("has no outcomes");
});
