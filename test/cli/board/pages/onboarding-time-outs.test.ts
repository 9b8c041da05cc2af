import { expect, test } from "vitest";
import { DAY } from "../../../../src/domain/duration.js";
import { readPage } from "../../../helpers/board/read-page.js";
import { eachFile } from "../../../helpers/each-test.js";
import { lakeOfRows } from "../../../helpers/query/lake-of-rows.js";

const BATCH = `onb_${"1".repeat(24)}`;
const DECIDED = `onb_${"2".repeat(24)}`;
const NOW = Date.now();
const ago = (days: number) => new Date(NOW - days * DAY).toISOString();
/** A row that began so many days ago, with a deadline of five days; a review goes on for as long. */
const row = (line: number, status: string, days: number, more: object = {}) => ({
  ...{ batch_id: BATCH, run_id: "onboard-1", line, attempt: 1, version: 1, kind: "user", status },
  ...{ started_at: ago(days), expires_at: ago(days - 5), playbook_key: "pb_1", ...more },
});
const REVIEW = { requires_manual_review: true };
const ENDED = { batch_id: DECIDED, expires_at: null };

interface Model {
  readonly queue: Readonly<Record<"timeouts" | "rows", readonly Readonly<Record<string, unknown>>[]>>;
}

const run = { run_id: "onboard-1", kind: "onboard", status: "completed", users: 4, calls: 9 };
const lake = eachFile(() =>
  lakeOfRows({
    onboardings: [
      ...[row(1, "needs_customer", 4.5), row(2, "needs_customer", 3), row(3, "pending", 3)],
      ...[row(4, "pass", 4, REVIEW), row(1, "pass", 1, ENDED)],
    ],
    runs: [{ ...run, job_id: BATCH, started_at: ago(5), finished_at: ago(4) }],
  }),
);

test("rows that wait show when they end, by the deadline of their batch, and the batch says what that costs", async () => {
  const { model, body } = await readPage<Model>(lake, `/onboarding/${BATCH}`);
  const of = (state: string) => model.queue.timeouts.find((one) => one.state === state);
  expect(of("customer")).toMatchObject({ total: 2, in_1d: 1, in_3d: 2, calls_a_row: 2.3 });
  expect(model.queue.timeouts).toHaveLength(2);
  expect(of("decision")).toMatchObject({ total: 1, in_1d: 0, in_3d: 1 });
  const [first] = model.queue.rows.filter(({ state }) => state === "customer");
  expect(Date.parse(String(first?.expires_at)) - Date.parse(String(first?.started_at))).toBe(5 * DAY);
  expect(of("customer")?.first_at).toBe(first?.expires_at);
  expect(body.html).toContain(
    "2 rows, unless their customer continues, become expired_no_response: 1 within",
  );
  expect(body.html).toContain("runs retry would make about 5 requests");
  const decided = await readPage<Model>(lake, `/onboarding/${DECIDED}`);
  expect(decided.body.html).toContain("No row ends by itself.");
});
