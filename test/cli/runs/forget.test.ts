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

const outcome = { attempt: 1, version: 1, settled_at: "2026-01-10T02:00:00Z", external_id: "C,x" };
const BATCH = `onb_${"a".repeat(24)}`;
const CSV = `_batches/${BATCH}/outcomes.csv`;
const HEAD = "line,kind,fp_id,fp_bid,external_id,onboarding_id\r\n";
const SYNC = "sync-20260110T020000Z-abcdef";
const CIP = "export-cip-20260110T020000Z-abcdef";

const lake = eachTest(() =>
  lakeOfRows({
    onboardings: [
      { ...outcome, batch_id: "onb_1", line: 3, fp_id: "fp_x", status: "pass" },
      { ...outcome, batch_id: BATCH, line: 2, status: "failed" },
      { ...outcome, batch_id: BATCH, line: 3, external_id: "C", status: "failed" },
    ],
  }),
);
const written = eachTest(() => openLake({ directory: lake.directory }));
beforeEach(async () => {
  await written.store.put(CSV, `${HEAD}2,user,,,"C,x",\r\n3,user,,,C,\r\n`);
});

const forget = () => {
  const { NIGHTLEDGER_ENCRYPTION_KEYS } = clusterEnv({ address: "" });
  const env = { NIGHTLEDGER_LAKE: ".", NIGHTLEDGER_ENCRYPTION_KEYS };
  const asked = ["forget", "fp_x", "--reason", "asked for it", "--by", "privacy", "--json"];
  return runHere({ directory: lake.directory, env }, asked);
};

// It reported success, and what a retry would run again still had the person.
test("rows that runs keep for a retry, and that name the person, are named", async () => {
  const sealed = new SealedStore(written.store, createSealer(TEST_KEYS));
  await sealed.put(`_staging/${leftOf(CIP)}/groups/0`, [{ row: { fp_id: "fp_x" } }]);
  await sealed.put(`_staging/${leftOf("export-cip-2")}/groups/0`, [{ row: { fp_id: "fp_xy" } }]);
  await freezeRoster(written.store, leftOf(SYNC), [{ fp_id: "fp_x" }]);
  const { code, stdout } = await forget();
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ batches: [], retries: [CIP, SYNC] });
});

// A row that had failed before the service told its id stayed, with the person's external id.
test("rows that name the person by an external id alone go, also from the CSV of their batch", async () => {
  expect(JSON.parse((await forget()).stdout)).toMatchObject({ rows: 2 });
  expect(await lake.rowsOf("select external_id from onboardings")).toEqual([{ external_id: "C" }]);
  expect(String(await written.store.get(CSV))).toBe(`${HEAD}3,user,,,C,\r\n`);
});

// The id was looked for in every column: one that is a number took the line of that number along.
test("lines of others that have such a text in another column stay in the CSV of a batch", async () => {
  const others = `${HEAD}3,user,fp_y,,,ob_1\r\n4,user,fp_z,,C,fp_x\r\n`;
  await written.store.put(CSV, `${others}5,user,fp_x,,3,ob_2\r\n`);
  await forget();
  expect(String(await written.store.get(CSV))).toBe(others);
});
