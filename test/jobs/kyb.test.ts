import { afterEach, expect, test } from "vitest";
import type { Operation, ParamsOf } from "../../src/api/operations/operation.js";
import type { Caller } from "../../src/jobs/job.js";
import { kybJob } from "../../src/jobs/kyb.js";
import { type FaultServer, json, rejection, startFaultServer } from "../helpers/api/fault-server.js";

let server: FaultServer;
afterEach(() => server.close());

const INSIGHTS = { addresses: [], names: [], people: [], registrations: [] };
const ROW = { fp_bid: "b" };

/** Exports a business whose onboardings `ob_1`, `ob_2`, … have insights that are answered with these statuses. */
async function exported(...statuses: readonly number[]) {
  server = await startFaultServer((request, response) => {
    const [, number] = /ob_(\d+)\/details$/.exec(request.url ?? "") ?? [];
    if (number !== undefined) return json(response, INSIGHTS, statuses[Number(number) - 1]);
    const item = { playbook_key: "pb", status: "pass", timestamp: "2026-11-28T00:00:00Z" };
    json(response, { data: statuses.map((_, at) => ({ id: `ob_${at + 1}`, ...item })), meta: {} });
  });
  const api = server.client();
  const once = async <O extends Operation>(_: string, operation: O, params: ParamsOf<O>) => {
    return { body: await api.read(operation, params), at: 0, asked: 1, repeated: "no" };
  };
  return kybJob.work([{ line: 2, row: ROW }], { options: {}, once } as unknown as Caller);
}

// Its insights were in no table, and the retry met the same refusal.
test.each([400, 409, 422])(
  "a refusal by %s does not hide what is known after another onboarding",
  async (status) => {
    const result = await exported(status, 200, 404);
    expect(result.onboardings).toMatchObject([
      { onboarding: { id: "ob_1" }, state: "refused", insights: null, askedAt: null },
      { onboarding: { id: "ob_2" }, state: "found", insights: INSIGHTS },
      { onboarding: { id: "ob_3" }, state: "none", insights: null },
    ]);
    const refused = { status, message: null };
    expect(kybJob.end?.(result, 0)).toEqual({
      status: "failed",
      reason: `refused http_${status}`,
      refused,
    });
  },
);

test("the first refusal is the reason", async () => {
  expect(kybJob.end?.(await exported(200, 422, 400), 0)).toMatchObject({ reason: "refused http_422" });
});

test.each([
  ["all are refused", [400, 422], "RejectedError"],
  ["one is refused and the service has none of the other", [404, 400], "RejectedError"],
  ["the key is refused", [200, 403], "AuthError"],
  ["the service fails", [200, 500], "TransientError"],
] as const)("there is no result where %s", async (_, statuses, name) => {
  expect(await rejection(exported(...statuses))).toMatchObject({ name });
});

test("nothing refused is no failure", async () => {
  expect(kybJob.end?.(await exported(404, 200), 0)).toBeUndefined();
  await server.close();
  expect(kybJob.end?.(await exported(404), 0)).toEqual({ status: "skipped", reason: "no_insights" });
});
