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
