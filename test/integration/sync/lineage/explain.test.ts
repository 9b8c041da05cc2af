import { afterAll, beforeAll, expect, test } from "vitest";
import { runHere } from "../../../helpers/command/command-here.js";
import { eachFile } from "../../../helpers/each-test.js";
import { created, removed } from "../../../helpers/sync/scripted-links.js";
import { openSyncWorld } from "../../../helpers/sync/sync-harness.js";
import { DamagedLake } from "../../../helpers/tampering/lake-damage.js";
import { sharedTemporal } from "../../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
const world = eachFile(() => openSyncWorld(temporal));
/** Run ids of the two nights. */
let nights: string[];

const tram = { amount: "4.20", description: "Tram", currency: "EUR" };

/** Two links with one id, over two nights. */
beforeAll(async () => {
  const { sandbox } = world;
  for (const link of ["a", "b"]) {
    sandbox.addLink({ fp_id: `fp_${link}`, id: link });
    sandbox.append(link, [created("p", { ...tram, date: "2026-11-18", pending: true })]);
  }
  const first = await world.sync();
  sandbox.append("a", [removed("p"), created("q", { ...tram, date: "2026-11-20", pending: false })]);
  const second = await world.sync();
  nights = [first.runId, second.runId];
  await world.stopWorker();
});
afterAll(async () => {
  await temporal.stop();
});

const explain = (args: readonly string[], lake = world.lake) =>
  runHere({ directory: world.lake, env: { NIGHTLEDGER_LAKE: lake } }, ["explain", ...args]);

/** The text with what differs from one run to the next in short. */
function inShort(text: string): string {
  return text
    .replaceAll(nights[0]!, "RUN1")
    .replaceAll(nights[1]!, "RUN2")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]{8}Z/g, "TIME")
    .replaceAll(/certificate [0-9a-f]{12}/g, "certificate HASH")
    .replaceAll(/\/[\w.-]+\.parquet/g, "/FILE");
}

test("a pending row that became a posted one, as people read it", async () => {
  const { code, stdout } = await explain(["p", "--link", "a"]);
  expect(code).toBe(0);
  expect(inShort(stdout)).toMatchInlineSnapshot(`
    "transaction p of link a (user fp_a): gone: the service removed it; it became q (exact, 2 days later)
    created   pending, -4.20 EUR of 2026-11-18, "Tram"
              TIME, page 0 of run RUN1, sequence 1, certificate HASH, number 1 of its link
              transaction_changes/FILE, by version 0
    removed   the service listed it under removed
              TIME, page 0 of run RUN2, sequence 3, certificate HASH, number 2 of its link
              transaction_changes/FILE, by version 1
    then      it became q (exact, 2 days later)
              -4.20 EUR; removed in run RUN2, posted in run RUN2, sequences 3 and 2
    proof     the link's 2 certificates hold
    "
  `);
});

test("the posted row, as people read it", async () => {
  const { code, stdout } = await explain(["q"]);
  expect(code).toBe(0);
  expect(inShort(stdout)).toMatchInlineSnapshot(`
    "transaction q of link a (user fp_a): live, posted
    created   posted, -4.20 EUR of 2026-11-20, "Tram"
              TIME, page 0 of run RUN2, sequence 2, certificate HASH, number 2 of its link
              transaction_changes/FILE, by version 1
    now       in transactions/FILE, by version 1
    was       p while it was pending (exact, 2 days later)
              -4.20 EUR; removed in run RUN2, posted in run RUN2, sequences 3 and 2
    proof     the link's 2 certificates hold
    "
  `);
});

test("an id of several links is explained in each; --link shows one", async () => {
  const { code, stdout } = await explain(["p"]);
  expect(code).toBe(0);
  expect(stdout).toContain("2 links have this id; --link shows one of them\n\ntransaction p of link a");
  expect(stdout).toContain("\n\ntransaction p of link b (user fp_b): live, pending\n");
  expect(stdout).toContain("proof     the link's one certificate holds\n");
  const { stdout: one } = await explain(["p", "--link", "b"]);
  expect(stdout.endsWith(one)).toBe(true);
});

test("--json gives an array with an object for each link, exact to the digit", async () => {
  const { code, stdout } = await explain(["p", "--json"]);
  expect(code).toBe(0);
  const found = JSON.parse(stdout).items as unknown[];
  expect(found).toHaveLength(2);
  expect(found[0]).toMatchObject({
    ...{ transaction_id: "p", link_id: "a", state: "gone", gone_because: "removed", current: null },
    changes: [
      { change_type: "created", page: 0, run_id: nights[0], signed_amount: "-4.2000000000" },
      { change_type: "removed", page: 0, run_id: nights[1] },
    ],
    became: [{ posted_transaction_id: "q", tier: "exact", pending_signed_amount: "-4.2000000000" }],
    proof: { holds: true, certificates: 2, problems: [] },
  });
  expect(found[1]).toMatchObject({ link_id: "b", state: "live", became: [], proof: { certificates: 1 } });
});

test("an id that no link has is wrong input, in the whole lake or in one link", async () => {
  const unknown = await explain(["nobody"]);
  expect(unknown).toMatchObject({ code: 2, stdout: "" });
  expect(unknown.stderr).toContain("there is no transaction nobody in this lake. Nothing was changed.");
  const elsewhere = await explain(["q", "--link", "b"]);
  expect(elsewhere).toMatchObject({ code: 2, stdout: "" });
  expect(elsewhere.stderr).toContain("there is no transaction q in link b.");
});

test("a certificate that does not hold ends with 1, and the text names it", async () => {
  const broken = await DamagedLake.of(world.lake, `${world.lake}-broken`);
  await broken.rewrite("transaction_changes", "transaction_id = 'q'", "from old where transaction_id = 'q'");
  const { code, stdout } = await explain(["q"], broken.directory);
  expect(code).toBe(1);
  expect(stdout).toContain(`broken    run ${nights[1]}: `);
  expect(stdout).not.toContain("proof     ");
});
