import { expect, test } from "vitest";
import { createdRaw, rawRow, type SyncWorld } from "../../../helpers/sync/sync-harness.js";
import { syncWorlds } from "../../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();
const STREAMS = ["accounts", "bank_links", "transactions", "investment_transactions", "securities"];

const account = (score: string) =>
  `{"id":"acc_a","link_id":"a","name":"n","score":${score},"balances":{"current":"1.00","pending":"0.50"}}`;
const investment = `{"investment_transaction_id":"i1","account_id":"acc_a","amount":1.50,"date":"2026-01-02",
  "type":"buy","security_id":"s1","lot":{"price":1.10}}`;

async function worldWithNewFields(): Promise<SyncWorld> {
  const world = await worlds.open();
  const link = '{"id":"a","state":"connected","region":"eu"}';
  world.sandbox.addLink({
    fp_id: "fp_1",
    id: "a",
    raw: link,
    accounts: [{ id: "acc_a", raw: account("0.10") }],
  });
  const enrichment = '{"category":null,"merchant":{"id":"m","name":"M","site":"m.example"}}';
  world.sandbox.append("a", [
    createdRaw("plain", { account_id: '"acc_a"' }),
    {
      change: "created",
      id: "new",
      raw: rawRow("new", {
        account_id: '"acc_a"',
        mcc: '"5411"',
        score: "12345678901234567.10",
        enrichment,
        'odd "name': "1",
      }),
    },
  ]);
  world.sandbox.investments.add("a", {
    raw: [investment],
    securities: [{ security_id: "s1", rating: "A" }],
  });
  return world;
}

const texts = async (world: SyncWorld, table: string, order: string) =>
  (await world.rows(`select other_fields from ${table} order by ${order}`)).map((row) => row.other_fields);

test("new fields of the service are kept, exact, in every table of a sync, and named once", async () => {
  const world = await worldWithNewFields();
  const { result } = await world.sync({ streams: STREAMS });
  expect(result.status).toBe("completed");
  const row =
    '{"enrichment.merchant.site":"m.example","mcc":"5411","odd \\"name":1,"score":12345678901234567.10}';
  for (const table of ["transaction_changes", "transactions"]) {
    expect(await texts(world, table, "transaction_id")).toEqual([row, null]);
  }
  for (const table of ["accounts", "accounts_current"]) {
    expect(await texts(world, table, "1")).toEqual(['{"balances.pending":"0.50","score":0.10}']);
  }
  for (const table of ["bank_links", "bank_links_current"]) {
    expect(await texts(world, table, "1")).toEqual(['{"region":"eu"}']);
  }
  for (const table of ["investment_transaction_changes", "investment_transactions"]) {
    expect(await texts(world, table, "1")).toEqual(['{"lot":{"price":1.10}}']);
  }
  for (const table of ["security_changes", "securities"]) {
    expect(await texts(world, table, "1")).toEqual(['{"rating":"A"}']);
  }
  const [known] = await world.rows(
    "select merchant_name, description from transactions where transaction_id = 'new'",
  );
  expect(known).toMatchObject({ merchant_name: "M" });
  expect([...(result.new_fields ?? [])].sort()).toEqual([
    "accounts.balances.pending",
    "accounts.score",
    "bank_links.region",
    "investment_transactions.lot",
    "investment_transactions.rating",
    "transactions.?",
    "transactions.enrichment.merchant.site",
    "transactions.mcc",
    "transactions.score",
  ]);
  const log = await world.log();
  expect(log.match(/the service has new fields/g)).toHaveLength(4);
  expect(log).not.toContain("m.example");
});

test("a change of a new field is a change of a history; the same again is none", async () => {
  const world = await worldWithNewFields();
  await world.sync();
  await world.sync();
  expect(await texts(world, "accounts", "observed_at")).toHaveLength(1);
  world.sandbox.setAccount("a", "acc_a", { score: 2 } as never);
  await world.sync();
  expect(await texts(world, "accounts", "observed_at")).toEqual([
    '{"balances.pending":"0.50","score":0.10}',
    '{"balances.pending":"0.50","score":2}',
  ]);
});
