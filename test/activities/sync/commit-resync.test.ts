import { expect, test } from "vitest";
import { eachTest } from "../../helpers/each-test.js";
import { LiedToNights } from "../../helpers/sync/lied-to-nights.js";
import { created } from "../../helpers/sync/scripted-links.js";
import { verified } from "../../helpers/tampering/verified.js";

const at = eachTest(() => LiedToNights.open());

test("what a resync infers comes after all that it brought, bad rows too, is certified, and is nothing that came back bad", async () => {
  const { sandbox, deps } = at.bench;
  const link = { fp_id: "u", id: "l" };
  sandbox.addLink(link);
  sandbox.append(
    "l",
    ["t1", "t2", "t3", "t4", "t5"].map((id) => created(id)),
  );
  await at.night(["transactions"]);
  sandbox.removeLink("l");
  sandbox.addLink(link);
  sandbox.append("l", [created("t1"), created("t2"), created("t3", { amount: "1e400" })]);
  await at.night(["transactions"], { full: true });
  const found = await at.rows(
    `select concat_ws(' ', sequence, transaction_id, change_type, case when inferred then 'inferred' end) as row
     from transaction_changes where generation = 2 order by sequence`,
  );
  expect(found.map(({ row }) => row)).toEqual([
    ...["6 t1 created", "7 t2 created"],
    ...["9 t4 removed inferred", "10 t5 removed inferred"],
  ]);
  const { code, text } = await verified(deps.lake.store.address);
  expect(code, text).toBe(0);
});

test("a full resync that two nights with --full break off and a third ends removes what none of them brought, and nothing else", async () => {
  const { sandbox, deps } = at.bench;
  const link = { fp_id: "u", id: "l" };
  const none = { size: 2 };
  sandbox.addLink(link);
  sandbox.append(
    "l",
    ["t1", "t2", "t3", "t4", "t5", "t6", "t7"].map((id) => created(id)),
  );
  await at.night(["transactions"]);
  sandbox.removeLink("l");
  sandbox.addLink(link);
  const bad = created("t3", { amount: "1e400" });
  sandbox.append("l", [created("t1"), created("t2"), bad, created("t4"), created("t6"), created("t8")]);
  for (const full of [true, true]) {
    sandbox.addFault({
      id: "cut",
      kind: "status",
      status: 503,
      link: "l",
      operation: "sync_transactions",
      after: 1,
    });
    expect(await at.night(["transactions"], { ...none, full })).toMatchObject({
      totals: { links: { still_reading: 1 }, rows: { removed: 0 } },
    });
    sandbox.removeFault("cut");
    expect(await live()).toEqual(expect.arrayContaining(["t1", "t5", "t7"]));
  }
  expect(await at.night(["transactions"], none)).toMatchObject({
    totals: { links: { synced: 1 }, rows: { created: 2, removed: 2 } },
  });
  expect(await live()).toEqual(["t1", "t2", "t3", "t4", "t6", "t8"]);
  expect(await at.night(["transactions"])).toMatchObject({ totals: { links: { unchanged: 1 } } });
  const { code, text } = await verified(deps.lake.store.address);
  expect(code, text).toBe(0);
});

/** Ids that the feed has live. */
async function live() {
  const sql = `select transaction_id as id from transaction_changes
    group by id having arg_max(change_type, sequence) <> 'removed' order by id`;
  return (await at.rows(sql)).map(({ id }) => id);
}

test("a link that is never given a cursor brings what it has each night, and loses nothing by that", async () => {
  const { sandbox, deps } = at.bench;
  const link = { fp_id: "u", id: "l" };
  sandbox.addFault({ kind: "no_cursor", link: "l" });
  sandbox.addLink(link);
  sandbox.append("l", [created("t1"), created("t2")]);
  await at.night(["transactions"]);
  sandbox.removeLink("l");
  sandbox.addLink(link);
  sandbox.append("l", [created("t2"), created("t3")]);
  await at.night(["transactions"]);
  const found = await at.rows(
    "select concat_ws(' ', sequence, transaction_id, change_type) as row from transaction_changes order by sequence",
  );
  expect(found.map(({ row }) => row)).toEqual([
    "1 t1 created",
    "2 t2 created",
    "3 t2 created",
    "4 t3 created",
  ]);
  const { code, text } = await verified(deps.lake.store.address);
  expect(code, text).toBe(0);
});
