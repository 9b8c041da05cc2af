import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NEXT_ACTIONS } from "../../../src/domain/onboarding/customer/next-action.js";
import { openedContinuations } from "../../../src/lake/onboarding/continuation-file.js";
import type { OnboardWorld } from "../../helpers/onboarding/onboard-harness.js";
import { onboardWorlds } from "../../helpers/onboarding/onboard-worlds.js";

const worlds = onboardWorlds();
const INCOMPLETE = { key: "pb_kyc", outcomes: { incomplete: 1 } } as const;
const PASS = { key: "pb_kyc", outcomes: { pass: 1 } } as const;
const opened = (playbook: object) => worlds.open({ sandbox: { playbooks: [playbook as never] } });
const linksIn = async (world: OnboardWorld, path: string) =>
  openedContinuations(await readFile(path, "utf8"), world.sealed.sealer).deliveries;
const statuses = (world: OnboardWorld) =>
  world.rows("select version, status, next_action from onboardings order by version");

test("a link goes into the file once, sealed; the customer who follows it ends the wait", async () => {
  const world = await opened(INCOMPLETE);
  const path = join(world.lake, "..", "links.jsonl");
  const batch = await world.onboard(world.users(1), { mode: "sync", linksFile: path });
  expect(batch.summary).toMatchObject({ status: "completed", customers: { needs_customer: 1 } });
  const token = world.sandbox.onboardings.list()[0]?.continuation?.token ?? "";
  expect(token).not.toBe("");
  expect(await linksIn(world, path)).toMatchObject([
    {
      delivery_id: `${batch.batchId}-1-1-1`,
      line: 1,
      fp_id: "fp_1",
      token,
      link: expect.stringContaining(token),
    },
  ]);
  expect(await readFile(path, "utf8")).not.toContain(token);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const [onboarding] = world.sandbox.onboardings.list();
  world.sandbox.onboardings.finish(onboarding?.id ?? "", "pass");
  await world.untilRows("select * from onboardings where version = 2", 1);
  expect(await statuses(world)).toEqual([
    { version: 1, status: "needs_customer", next_action: NEXT_ACTIONS.follow },
    { version: 2, status: "pass", next_action: null },
  ]);
  expect(world.sandbox.calls().by_operation.create_onboarding).toBe(1);
});

test("with a file that can't be written somebody has to send the link from the dashboard", async () => {
  const world = await opened(INCOMPLETE);
  const linksFile = join(world.lake, "..", "not-there/links.jsonl");
  const batch = await world.onboard(world.users(1), { mode: "sync", linksFile });
  expect(batch.summary.customers.needs_customer).toBe(1);
  const outcomes = await world.untilRows(
    `select * from onboardings where next_action = '${NEXT_ACTIONS.resend}'`,
    1,
  );
  expect(outcomes).toMatchObject([{ status: "needs_customer" }]);
});

test("a vault is written and documents are uploaded before the onboarding, with a token of these fields", async () => {
  const world = await opened(PASS);
  const document = join(world.lake, "..", "paper.txt");
  await writeFile(document, "paper of fp_1");
  const [row] = world.users(1, () => ({
    "vault.id.first_name": "Ada",
    "vault.id.dob": "1990-01-02",
    "document.custom.paper": document,
    "data.source": "web",
  }));
  const batch = await world.onboard([row!], { mode: "sync" });
  expect(batch.summary).toMatchObject({ customers: { pass: 1 }, calls: 4 });
  expect(world.sandbox.requests().map(({ operation }) => operation)).toEqual([
    "create_client_token",
    "update_vault",
    "upload_to_vault",
    "create_onboarding",
  ]);
  expect(world.sandbox.requests({ operation: "upload_to_vault" })[0]).toMatchObject({ body_bytes: 13 });
  expect(world.sandbox.onboardings.list()[0]?.data).toEqual({});
});

test("businesses: made with an external id or with data, adopted where the id is taken, then onboarded", async () => {
  const world = await worlds.open({
    sandbox: { playbooks: [{ key: "pb_kyb", kind: "kyb", outcomes: { pass: 1 } }] },
  });
  const taken = world.sandbox.businesses.add({ external_id: "acme-2", values: {} });
  const there = world.sandbox.businesses.add({ values: {} });
  const rows = [
    { kind: "business", external_id: "acme-1" },
    { kind: "business", external_id: "acme-2" },
    { kind: "business", "vault.business.name": "Acme 3" },
    { kind: "business", fp_bid: there },
  ];
  const batch = await world.onboard(rows, { playbook: "pb_kyb", mode: "sync" });
  expect(batch.summary.customers).toMatchObject({ total: 4, pass: 4 });
  const outcomes = await world.outcomes(batch);
  expect(outcomes.every(({ kind, fp_id }) => kind === "business" && fp_id === null)).toBe(true);
  expect(world.sandbox.onboardings.of(taken)).toHaveLength(1);
  expect(world.sandbox.onboardings.of(there)).toHaveLength(1);
  expect(outcomes[2]?.fp_bid).toEqual(expect.any(String));
  expect(world.sandbox.calls().by_operation.create_business).toBe(3);
  await world.onboard(rows, { playbook: "pb_kyb", mode: "sync" });
  expect(world.sandbox.calls().by_operation.create_business).toBe(3);
});
