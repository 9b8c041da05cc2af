import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { InputError, StagingLostError } from "../../../src/domain/failures.js";
import type { CustomerRow, FrozenRow, RightRow } from "../../../src/domain/onboarding/customer.js";
import { batchLine } from "../../../src/domain/onboarding/identity.js";
import { NOTHING_KNOWN, type Outcome } from "../../../src/domain/onboarding/outcome.js";
import {
  type BatchFacts,
  type FreezableRow,
  FrozenBatches,
  keptOutcome,
} from "../../../src/lake/onboarding/frozen-batch.js";
import { eachTest } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";

const lake = eachTest(openTestLake);
let batches: FrozenBatches;
beforeEach(async () => {
  batches = new FrozenBatches(lake.sealed);
});

const MARK = "PLANTED";
const BYTES = Buffer.from(`${MARK} bytes of a scan`);
const sha256 = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex");

function rightRow(row: number, change: Partial<CustomerRow> = {}): RightRow {
  const customer: CustomerRow = {
    line: row + 2,
    kind: "user",
    fpId: `fp_${row}`,
    externalId: null,
    prerequisiteData: null,
    vault: { "id.first_name": MARK },
    documents: {},
    create: false,
    ...change,
  };
  return { row, line: customer.line, rowKey: `key-${row}`, identityHash: `hash-${row}`, customer };
}

async function* freezable(
  rows: readonly FrozenRow[],
  open?: FreezableRow["open"],
): AsyncGenerator<FreezableRow> {
  for (const row of rows) yield { row, ...(open && { open }) };
}

/** A row with a document under an identifier, and what its bytes are when it is frozen. */
function documented(identifier = "custom.scan", judged: string | Buffer = BYTES) {
  const document = { bytes: BYTES.length, sha256: sha256(judged), contentType: "image/png" };
  const row = rightRow(0, { documents: { [identifier]: document } });
  async function* open() {
    yield BYTES;
  }
  return { freeze: () => batches.freeze(factsOf([row]), freezable([row], open)) };
}

function factsOf(rows: readonly FrozenRow[]): BatchFacts {
  const lines = rows.map(batchLine);
  return {
    batchId: "onb_1",
    playbook: "pb_1",
    mode: "async",
    service: "",
    rows: rows.length,
    sha256: sha256(lines.join("")),
  };
}

const rows: FrozenRow[] = Array.from({ length: 1_203 }, (_, row) =>
  row === 7
    ? {
        row,
        line: 9,
        name: { kind: "user", fpId: null, externalId: null },
        problems: [{ line: 9, column: "fp_id", code: "blank", rule: "is blank" }],
      }
    : rightRow(row),
);

test("rows come back by number, across chunks, wrong ones at their place", async () => {
  await batches.freeze(factsOf(rows), freezable(rows));
  for (const reader of [batches, new FrozenBatches(lake.sealed)]) {
    expect(await reader.rows("onb_1", 0, 1_203)).toEqual(rows);
    expect(await reader.rows("onb_1", 499, 502)).toEqual(rows.slice(499, 502));
    expect(await reader.rows("onb_1", 5, 5)).toEqual([]);
    expect(await reader.row("onb_1", 1_202)).toEqual(rows[1_202]);
    await expect(reader.row("onb_1", 7)).rejects.toThrow(/row 7 of onb_1 can't run/);
    await expect(reader.row("onb_1", 1_203)).rejects.toThrow(/does not exist/);
  }
  expect(await batches.manifest("onb_1")).toEqual(factsOf(rows));
});

test("rows that were read often are those of the batch that was asked for", async () => {
  const other = Array.from({ length: 6_000 }, (_, row) => rightRow(row, { fpId: `other_${row}` }));
  await batches.freeze(factsOf(rows), freezable(rows));
  await batches.freeze({ ...factsOf(other), batchId: "onb_2" }, freezable(other));
  for (const at of [0, 600, 1_100, 0]) {
    expect(await batches.rows("onb_1", at, at + 1)).toEqual([rows[at]]);
    for (let row = 0; row < 6_000; row += 500) {
      expect(await batches.rows("onb_2", row, row + 1)).toEqual([other[row]]);
    }
  }
});

test("a document comes back as it was, found by line and identifier", async () => {
  await documented().freeze();
  const found = await batches.document("onb_1", 2, "custom.scan");
  const parts: Uint8Array[] = [];
  for await (const part of found.open()) parts.push(part);
  expect(Buffer.concat(parts).equals(BYTES)).toBe(true);
  await expect(batches.document("onb_1", 2, "custom.other")).rejects.toThrow(/is gone/);
});

test("no file shows anything of a row or document, nor its name", async () => {
  await documented(`custom.${MARK}`).freeze();
  await keptOutcome(lake.sealed, "onb_1", outcome).put(outcome);
  const names = await readdir(lake.directory, { recursive: true, withFileTypes: true });
  const files = names.filter((name) => name.isFile()).map((name) => join(name.parentPath, name.name));
  expect(files.length).toBeGreaterThanOrEqual(5);
  for (const file of files) {
    expect(file).not.toContain(MARK);
    expect((await readFile(file)).includes(MARK), file).toBe(false);
  }
});

test("a batch that is frozen stays as it is: its rows are not read again", async () => {
  await batches.freeze(factsOf(rows), freezable(rows));
  // biome-ignore lint/correctness/useYield: asking it for a row is the failure
  async function* unread(): AsyncGenerator<FreezableRow> {
    throw new Error("the rows were read again");
  }
  await batches.freeze(factsOf(rows), unread());
});

test("a batch that lost rows or a document says so, and is copied again as a whole", async () => {
  const { freeze } = documented();
  const read = {
    customers: () => new FrozenBatches(lake.sealed).rows("onb_1", 0, 1),
    files: () => batches.document("onb_1", 2, "custom.scan"),
  };
  for (const part of ["customers", "files"] as const) {
    await freeze();
    await lake.sealed.deletePrefix(`_staging/onb_1/${part}/`);
    await freeze();
    await expect(read[part]()).rejects.toThrow(StagingLostError);
    await expect(batches.require("onb_1")).rejects.toThrow(StagingLostError);
    await freeze();
    await read[part]();
  }
});

test("a file that changed after its id was made leaves no batch, and the right one can follow", async () => {
  const changed = [rightRow(0), { ...rightRow(1), rowKey: "other" }];
  const given = [rightRow(0), rightRow(1)];
  await expect(batches.freeze(factsOf(given), freezable(changed))).rejects.toThrow(InputError);
  expect(await batches.manifest("onb_1")).toBeUndefined();
  await batches.freeze(factsOf(given), freezable(given));
  expect(await batches.rows("onb_1", 0, 2)).toEqual(given);
});

test("a document that changed after its id was made leaves no batch", async () => {
  await expect(documented("custom.scan", "before").freeze()).rejects.toThrow(
    /line 2, column document.custom.scan, changed while it was read/,
  );
  expect(await batches.manifest("onb_1")).toBeUndefined();
});

const outcome: Outcome = {
  ...NOTHING_KNOWN,
  row_key: "k",
  playbook_key: "pb_1",
  line: 2,
  attempt: 1,
  version: 1,
  kind: "user",
  fp_id: "fp_0",
  onboarding_id: "ob_1",
  playbook_version: 3,
  status: "pass",
  requires_manual_review: false,
  output: `{"name":"${MARK}"}`,
  settled_by: "poll",
};

test("an outcome is kept by line, attempt and version; the same name replaces it", async () => {
  const keep = (one: Outcome) => keptOutcome(lake.sealed, "onb_1", one).put(one);
  await keep(outcome);
  await keep({ ...outcome, version: 2, status: "fail" });
  await keep({ ...outcome, output: null });
  expect(await keptOutcome(lake.sealed, "onb_1", outcome).require()).toEqual({ ...outcome, output: null });
  expect((await keptOutcome(lake.sealed, "onb_1", { ...outcome, version: 2 }).require()).status).toBe("fail");
  await expect(keptOutcome(lake.sealed, "onb_1", { ...outcome, attempt: 2 }).require()).rejects.toThrow(
    /is gone/,
  );
});
