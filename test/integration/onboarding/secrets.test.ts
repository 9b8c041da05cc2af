import { join } from "node:path";
import { decodeArrayFromPayloads } from "@temporalio/common/lib/internal-non-workflow/index.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OnboardSummary } from "../../../src/domain/onboarding/batch/batch-totals.js";
import { type OnboardWorld, openOnboardWorld } from "../../helpers/onboarding/onboard-harness.js";
import { holding } from "../../helpers/onboarding/planted-texts.js";
import { payloadsOf } from "../../helpers/temporal/opened-history.js";
import { startTestTemporal, type TestTemporal } from "../../helpers/temporal/temporal-environment.js";

/** What nobody may find outside the sealed staging area and the stand-in. */
const PLANTED = ["Adalovelace", "1815-12-10", "078051120", "quitepersonal", "paperofada"];

let temporal: TestTemporal;
let world: OnboardWorld;
beforeAll(async () => {
  temporal = await startTestTemporal({ file: true });
  world = await openOnboardWorld(temporal, {
    sandbox: { playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 }, prerequisites: { note: "string" } }] },
  });
});
afterAll(async () => {
  await world?.close();
  await temporal?.stop();
});

test("what a file holds of people is in no history, log or table; nor is a link or its token", async () => {
  world.sandbox.addUser({ fp_id: "fp_1" });
  world.sandbox.addUser({ fp_id: "fp_2" });
  world.sandbox.addUser({ fp_id: "fp_3" });
  const vault = {
    "vault.id.first_name": PLANTED[0],
    "vault.id.dob": PLANTED[1],
    "vault.id.ssn9": PLANTED[2],
  };
  const rows = [
    { fp_id: "fp_1", ...vault, "data.note": PLANTED[3] },
    { fp_id: "fp_2", ...vault, "data.note": PLANTED[3] },
    { fp_id: "fp_3", ...vault },
  ];
  world.sandbox.playbooks.script({
    entity: "fp_1",
    outcomes: [{ status: "error", error_message: `${PLANTED[0]} born ${PLANTED[1]} can't be found` }],
  });
  world.sandbox.playbooks.script({ entity: "fp_2", outcomes: [{ status: "incomplete" }] });
  world.sandbox.addFault({
    kind: "status",
    status: 400,
    operation: "update_vault",
    user: "fp_3",
    body: PLANTED[0]!,
  });
  const links = join(world.lake, "links");
  const batch = await world.begin(rows, {
    mode: "sync",
    plainOutput: true,
    linksFile: links,
  });
  const summary = (await batch.handle.result()) as OnboardSummary;
  expect(summary.customers).toMatchObject({ total: 3, error: 1, needs_customer: 1, failed: 1 });
  const token = world.sandbox.onboardings.of("fp_2")[0]?.continuation?.token ?? "none";
  const secrets = [...PLANTED, token, "obtok_", "verify.example.com"];
  expect(await holding(world.lake, secrets)).toEqual([]);
  expect(await holding(temporal.directory, secrets)).toEqual([]);
  const log = await world.log();
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
  expect(await world.outcomes(batch)).toMatchObject([
    { error_message: "[value] born [value] can't be found" },
    { status: "needs_customer" },
    { status: "failed", error_message: expect.stringContaining("(status 400); it said: [value]. Sent") },
  ]);
});

test("the same texts are found where they are in the clear", async () => {
  const customers = join(world.lake, "..");
  expect((await holding(customers, PLANTED)).length).toBeGreaterThan(0);
});

test("the history of follow has row numbers, hashes and ids of the service only", async () => {
  for await (const { workflowId } of world.client.workflow.list({
    query: 'WorkflowType = "follow"',
  })) {
    const { events } = await world.client.workflow.getHandle(workflowId).fetchHistory();
    const values = await decodeArrayFromPayloads(
      world.client.options.loadedDataConverter,
      payloadsOf(events),
    );
    const opened = JSON.stringify(values);
    expect(values.length).toBeGreaterThan(3);
    expect(opened).toContain('"rowKey"');
    expect(opened).not.toMatch(/fp_\d|obtok_|verify/);
    for (const planted of PLANTED) expect(opened).not.toContain(planted);
    expect(workflowId).toMatch(/^follow\/[0-9a-f]{8}$/);
  }
});
