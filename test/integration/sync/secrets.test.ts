import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { created } from "../../helpers/sync/scripted-links.js";
import { createdRaw, openSyncWorld, rawRow } from "../../helpers/sync/sync-harness.js";
import { startTestTemporal, type TestTemporal } from "../../helpers/temporal/temporal-environment.js";

let temporal: TestTemporal;
beforeAll(async () => {
  temporal = await startTestTemporal({ file: true });
});
afterAll(() => temporal?.stop());

const KEY = "sk_live_PLANTEDKEY0123456789";
/** Each is in something that the service sends; none may be in a database, a log, a message or a summary. */
const PERSONAL = [
  "Planted Person",
  "PLANTED-TOKEN-eyJhbGciOi",
  "planted.name@example.test",
  "PLANTED-EXTERNAL-77",
  "PLANTEDACCOUNTNAME",
  "PLANTEDTXNID",
  "PLANTEDBADAMOUNT",
];
/** Ids of people and links: fine inside of encrypted payloads, as the owner of a failure, and in the log. */
const IDS = ["fp_planted_person", "link_planted"];

test("nothing secret or personal is in Temporal's database, in logs, messages or the summary", async () => {
  let failed = false;
  const world = await openSyncWorld(temporal, {
    sandbox: { apiKeys: [KEY] },
    store: (store) => ({
      ...store,
      // An activity that fails with what was on its hands.
      uploadAll: async (files) => {
        const feed = files.find(({ key }) => key.startsWith("transaction_changes/"));
        if (feed !== undefined && !failed) {
          failed = true;
          throw new Error(`could not store ${feed.key}`);
        }
        await store.uploadAll(files);
      },
    }),
  });
  try {
    const { sandbox } = world;
    sandbox.addUser({ fp_id: "fp_planted_person_1", external_id: "PLANTED-EXTERNAL-77" });
    sandbox.addLink({
      fp_id: "fp_planted_person_1",
      id: "link_planted_1",
      fields: { external_id: "PLANTED-EXTERNAL-77", institution_name: "Planted Person Bank" },
      accounts: [
        { id: "acc_1", fields: { name: "PLANTEDACCOUNTNAME", nickname: "planted.name@example.test" } },
        { raw: '{"id":"","name":"PLANTEDACCOUNTNAME"}' },
      ],
    });
    sandbox.append("link_planted_1", [
      created("PLANTEDTXNID-1", {
        description: "Planted Person",
        raw_description: "PLANTED-TOKEN-eyJhbGciOi",
      }),
      createdRaw("PLANTEDTXNID-2", { amount: '"PLANTEDBADAMOUNT"' }),
      {
        change: "created",
        raw: rawRow("PLANTEDTXNID-3").replace("{", '{"description":"Planted Person","description":"x",'),
        id: "3",
      },
      created("PLANTEDTXNID-4", { date: "Planted Person" }),
    ]);
    for (const id of ["link_planted_refused", "link_planted_schema", "link_planted_loop"]) {
      sandbox.addLink({ fp_id: "fp_planted_person_2", id });
      sandbox.append(id, [created("PLANTEDTXNID-9", { description: "Planted Person" })]);
    }
    const body = '{"error":"PLANTED-TOKEN-eyJhbGciOi for Planted Person"}';
    sandbox.addFault({ kind: "status", status: 422, link: "link_planted_refused", body });
    sandbox.addFault({ kind: "wrong_body", link: "link_planted_schema", body });
    sandbox.addFault({ kind: "loop", link: "link_planted_loop" });
    sandbox.addFault({ kind: "status", status: 404, user: "fp_planted_person_3", body });
    sandbox.addFault({ kind: "status", status: 500, user: "fp_planted_person_1", times: 1, body });
    const users = ["fp_planted_person_1", "fp_planted_person_2", "fp_planted_person_3"];
    const { result, workflowId } = await world.sync({ users });
    expect(failed).toBe(true);
    expect(result).toMatchObject({
      links: { synced: 1, failed: 3 },
      users: { failed: 1 },
      rows: { created: 1, quarantined: 4 },
    });
    await world.stopWorker();

    const files = await readdir(temporal.directory);
    expect(files).toEqual(expect.arrayContaining(["temporal.db", "temporal.log"]));
    const haystacks = new Map<string, Buffer>();
    for (const file of files) haystacks.set(file, await readFile(join(temporal.directory, file)));
    expect([...haystacks.values()].some((bytes) => bytes.includes(workflowId))).toBe(true);
    expectAbsent(haystacks, [KEY, Buffer.from(`${KEY}:`).toString("base64"), ...PERSONAL, ...IDS]);
    expectAbsent(new Map([["worker log", Buffer.from(await world.log())]]), [KEY, ...PERSONAL]);
    expectAbsent(new Map([["summary", Buffer.from(JSON.stringify(result))]]), [KEY, ...PERSONAL]);
    expectAbsent(new Map([["workflow id", Buffer.from(workflowId)]]), [KEY, ...PERSONAL, ...IDS]);
  } finally {
    await world.close();
  }
});

function expectAbsent(haystacks: ReadonlyMap<string, Buffer>, needles: readonly string[]): void {
  const found = [...haystacks].flatMap(([name, bytes]) =>
    needles.filter((needle) => bytes.includes(needle)).map((needle) => `${needle} in ${name}`),
  );
  expect(found).toEqual([]);
}
