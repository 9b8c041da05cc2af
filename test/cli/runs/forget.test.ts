import { beforeEach, expect, test } from "vitest";
import { leftOf } from "../../../src/domain/run.js";
import { openLake } from "../../../src/lake/lake.js";
import { SealedStore } from "../../../src/lake/store/sealed-store.js";
import { freezeRoster } from "../../../src/lake/sync/frozen-roster.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { runHere } from "../../helpers/command/command-here.js";
import { eachTest } from "../../helpers/each-test.js";
import { lakeOfRows } from "../../helpers/query/lake-of-rows.js";
import { clusterEnv, TEST_KEYS } from "../../helpers/temporal/temporal-environment.js";

const outcome = { attempt: 1, version: 1, kind: "user", settled_at: "2026-01-10T02:00:00Z" };
const BATCH = `onb_${"a".repeat(24)}`;
const CSV = `_batches/${BATCH}/outcomes.csv`;
const HEAD = "line,kind,fp_id,fp_bid,external_id,onboarding_id\r\n";
const OTHERS = "4,user,,,C,\r\n6,business,,,B,\r\n";
const SYNC = "sync-20260110T020000Z-abcdef";
const CIP = "cip-20260110T020000Z-abcdef";

/** Of the person C,x, one row by each way that connects the ids; S is the id of two users, B of a business too. */
const lake = eachTest(() =>
  lakeOfRows({
    link_syncs: [
      { fp_id: "fp_x", external_id: "C,x" },
      { fp_id: "fp_x", external_id: "S" },
      { fp_id: "fp_x", external_id: "B" },
      { fp_id: "fp_y", external_id: "S" },
    ],
    bank_links: [{ fp_id: "fp_x", link_id: "link_x", external_id: "C" }],
    webhook_events: [
      { message_id: "1", fp_id: "fp_x", onboarding_id: "ob_3" },
      { message_id: "2", external_id: "C,x" },
    ],
    onboardings: [
      { ...outcome, batch_id: BATCH, line: 2, external_id: "C,x", status: "failed" },
      { ...outcome, batch_id: BATCH, line: 3, external_id: "W", onboarding_id: "ob_3", status: "pass" },
      ...["C", "S"].map((id, n) => ({ ...outcome, batch_id: BATCH, line: 4 + n, external_id: id })),
      { ...outcome, batch_id: BATCH, line: 6, kind: "business", external_id: "B" },
    ],
    runs: [
      { run_id: "onboard-1", kind: "onboard", job_id: BATCH },
      { run_id: CIP, kind: "cip", options: "{}" },
      { run_id: `${CIP}-2`, kind: "cip", options: "{}" },
    ],
    business_insights: [{ run_id: "kyb-1", fp_bid: "b", fp_id: "fp_x" }],
  }),
);
const written = eachTest(() => openLake({ directory: lake.directory }));
beforeEach(async () => {
  await written.store.put(CSV, `${HEAD}2,user,,,"C,x",\r\n3,user,,,W,\r\n${OTHERS}`);
});

const forget = (id: string, ...flags: readonly string[]) => {
  const { NIGHTLEDGER_ENCRYPTION_KEYS } = clusterEnv({ address: "" });
  const env = { NIGHTLEDGER_LAKE: ".", NIGHTLEDGER_ENCRYPTION_KEYS };
  const asked = ["forget", id, "--reason", "asked for it", "--by", "privacy", "--json", ...flags];
  return runHere({ directory: lake.directory, env }, asked);
};

// It reported success, and what a retry would run again still had the person.
test("rows that runs keep for a retry, and that name the person, are named", async () => {
  const sealed = new SealedStore(written.store, createSealer(TEST_KEYS));
  await sealed.put(`_staging/${leftOf(CIP)}/groups/0`, [{ row: { fp_id: "fp_x" } }]);
  await sealed.put(`_staging/${leftOf("cip-2")}/groups/0`, [{ row: { fp_id: "fp_xy" } }]);
  await freezeRoster(written.store, leftOf(SYNC), [{ fp_id: "fp_x" }]);
  const { code, stdout } = await forget("fp_x", "--dry-run");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ batches: [], retries: [CIP, SYNC] });
});

// What named the person by the roster's id alone stayed, and the one link between both ids went.
test.each(["fp_x", "C,x"])(
  "by %s all goes that names the person by an external id alone, and nothing of others",
  async (id) => {
    const sealed = new SealedStore(written.store, createSealer(TEST_KEYS));
    const customers = ["C,x", "C"].map((externalId, n) => {
      const customer = { line: 9 + n, kind: "user", fpId: null, externalId, vault: {}, documents: {} };
      return { row: n, line: 9 + n, rowKey: `k${n}`, identityHash: "h", customer };
    });
    await sealed.put(`_staging/${BATCH}/customers/0`, customers);
    await sealed.put(`_staging/${BATCH}/outcomes/9-1-1`, { output: "of C,x" });
    const { stdout } = await forget(id, "--yes");
    expect(JSON.parse(stdout)).toMatchObject({ fp_id: "fp_x", batches: [BATCH] });
    expect(JSON.parse(stdout).external_ids.sort()).toEqual(expect.arrayContaining(["B", "C,x", "W"]));
    expect(await lake.rowsOf("select external_id from onboardings order by line")).toEqual(
      ["C", "S", "B"].map((external_id) => ({ external_id })),
    );
    expect(await lake.rowsOf("select message_id from webhook_events")).toEqual([]);
    expect(String(await written.store.get(CSV))).toBe(HEAD + OTHERS);
    expect(JSON.stringify(await sealed.require(`_staging/${BATCH}/customers/0`))).not.toContain("C,x");
    expect((await sealed.list(`_staging/${BATCH}/outcomes/`)).length).toBe(0);
  },
);

test.each([
  [
    "nobody who can be asked",
    "fp_x",
    [],
    "Nobody can be asked here. Nothing was erased. Give --dry-run or --yes.\n",
  ],
  ["an id of two users", "S", ["--yes"], "S is the external id of fp_x, fp_y. Nothing was erased."],
])("with %s it erases nothing", async (_, id, flags, said) => {
  const { code, stderr } = await forget(id, ...flags);
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  expect(await lake.rowsOf("select * from erasures")).toEqual([]);
});

// Of an excluded member, or a wrong row, no table knows; a KYB export writes no pack.
test("packs are named by what is in them", async () => {
  const head = "fp_id,external_id,risk,account_closed_on,legal_hold\r\n";
  await written.store.put(`_exports/cip/${CIP}/population.csv`, `${head}(line 4) fp_x,,,,\r\n`);
  await written.store.put(`_exports/cip/${CIP}-2/population.csv`, `${head}fp_xy,C,,,false\r\n`);
  expect(JSON.parse((await forget("fp_x", "--dry-run")).stdout).packs).toEqual([CIP]);
});

// The id was looked for in every column: one that is a number took the line of that number along.
test("lines of others that have such a text in another column stay in the CSV of a batch", async () => {
  const others = `${HEAD}3,user,fp_y,,,ob_1\r\n4,user,fp_z,,C,fp_x\r\n`;
  await written.store.put(CSV, `${others}5,user,fp_x,,3,ob_2\r\n`);
  await forget("fp_x", "--yes");
  expect(String(await written.store.get(CSV))).toBe(others);
});
