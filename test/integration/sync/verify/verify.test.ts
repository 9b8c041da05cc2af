import { rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LakeReport } from "../../../../src/lake/sync/lake-check.js";
import { eachFile, tempDirectory } from "../../../helpers/each-test.js";
import { addLink, addRows, created, removed, updated } from "../../../helpers/sync/scripted-links.js";
import { openSyncWorld } from "../../../helpers/sync/sync-harness.js";
import { DamagedLake } from "../../../helpers/tampering/lake-damage.js";
import { verified } from "../../../helpers/tampering/verified.js";
import { sharedTemporal } from "../../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
const temp = eachFile(tempDirectory);
const world = eachFile(() => openSyncWorld(temporal));
let good: DamagedLake;
/** Run ids of the two nights. */
let nights: string[];
let copies = 0;

beforeAll(async () => {
  nights = await awkwardNights();
  await world.stopWorker();
  good = new DamagedLake(world.lake);
});
afterAll(async () => {
  await temporal.stop();
});

/** Four links: one is resynced, one has a row in quarantine, one does not change, one fails in the second night. */
async function awkwardNights(): Promise<string[]> {
  const { sandbox } = world;
  for (const link of ["a", "b", "c", "d"]) addLink(world, link, 5, `fp_${link}`);
  sandbox.append("b", [created("b-bad", { amount: "1e400" }), created("b-last")]);
  const first = await world.sync({ pageSize: 2 });
  expect(first.result).toMatchObject({ links: { synced: 4 }, rows: { created: 21, quarantined: 1 } });
  sandbox.append("a", [removed("a-0003"), updated("a-0002"), created("a-new")]);
  const { rows } = sandbox.truth("a");
  sandbox.removeLink("a");
  sandbox.addLink({ fp_id: "fp_a", id: "a" });
  const back = rows.map(({ text, transaction_id: id }) => ({ change: "created" as const, raw: text, id }));
  sandbox.append("a", back);
  sandbox.refuseCursors("a");
  addRows(sandbox, "b", 3, 5);
  sandbox.addFault({ kind: "loop", link: "d" });
  addRows(sandbox, "d", 40, 5);
  const second = await world.sync({ pageSize: 2 });
  expect(second.result).toMatchObject({ links: { synced: 2, unchanged: 1, failed: 1 } });
  return [first.runId, second.runId];
}

async function report(lake: DamagedLake): Promise<LakeReport & { readonly code: number }> {
  const { code, text } = await verified(lake.directory, { json: true });
  return { code, ...(JSON.parse(text) as LakeReport) };
}

/** A copy of the good lake, to be damaged. */
const copy = () => DamagedLake.of(good.directory, join(temp.path, `lake-${copies++}`));

test("two awkward nights are proved: every certificate, every row, every file", async () => {
  const [{ n: rows } = {}] = await world.rows("select count(*) as n from transaction_changes");
  const found = await report(good);
  expect(found).toEqual({
    ...{ code: 0, ok: true, links: 4, certificates: 6, rows, pending: 0, forgotten: 0, purged: 0 },
    ...{ problems: [], problems_total: 0 },
    files: expect.any(Number),
    files_without_hash: 0,
    ...{
      quick: false,
      compared: 5,
      notes: [],
      roots: 2,
      uncovered: 0,
      root: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
  });
  const { code, text } = await verified(good.directory);
  expect({ code, text }).toEqual({
    code: 0,
    text: expect.stringMatching(
      `^proved: 6 certificates of 4 links, ${rows} rows of the feed, ${found.files} files, 5 derived tables, 2 roots\nroot: `,
    ),
  });
});

const FIRST = "link_id = 'b' and sequence = 2";
const CERTIFIED = "link_id = 'b' and certificate is not null";

/** `test/lake/sync/chain-check.test.ts` has every way in which certificates and rows may differ. */
describe("what is damaged is named", () => {
  test.each<[string, (lake: DamagedLake) => Promise<unknown>, RegExp]>([
    [
      "a row that was taken out of the feed",
      (lake) => lake.rewrite("transaction_changes", FIRST, `from old where not (${FIRST})`),
      /^link b, run NIGHT1: the feed has 5 created, 0 updated, 0 removed of it; its certificate says 6, 0, 0$/m,
    ],
    [
      "a head in the feed's log",
      (lake) => lake.changeCheckpoints(/^b$/, { head: "0".repeat(64) }),
      /^link b, run NIGHT2: its checkpoint in the feed's log does not match its head$/m,
    ],
    [
      "a feed that was restored to an earlier version",
      async (lake) => {
        while (await lake.says("transaction_changes", nights[1] ?? ""))
          await lake.goBack("transaction_changes");
      },
      /^link b, run NIGHT1: its checkpoint in the feed's log names [0-9a-f]{64}, but link_syncs continues after it$/m,
    ],
    [
      "a feed that is gone",
      (lake) => rm(join(lake.directory, "transaction_changes"), { recursive: true }),
      /^link a: it has certificates, but the feed's log has no checkpoint of it$/m,
    ],
    [
      "link_syncs that was restored to an earlier version",
      (lake) => lake.goBack("link_syncs"),
      /^link \w, run NIGHT2: /m,
    ],
    [
      "a data file that is missing",
      async (lake) =>
        rm(join(lake.directory, "transaction_changes", await lake.fileWith("transaction_changes", FIRST))),
      /^link \w: the file transaction_changes\/\S+\.parquet is missing, or does not have \d+ bytes; it holds rows of the links from \w to \w$/m,
    ],
    [
      "a data file of another table that is cut short",
      async (lake) => {
        const path = join(lake.directory, "bank_links", await lake.fileWith("bank_links", "true"));
        await truncate(path, (await stat(path)).size - 1);
      },
      /: the file bank_links\/\S+\.parquet is missing, or does not have \d+ bytes/m,
    ],
    [
      "an amount in the feed, in a log that fits the new file",
      (lake) => lake.set("transaction_changes", FIRST, "amount", "1.23"),
      /^link b, run NIGHT1: its rows in the feed are not those that were committed: rows_sha256 is another; transaction_changes\/\S+\.parquet: amount of b-0001 is 1\.23; the table transactions says \d+\.\d\d$/m,
    ],
    [
      "a value in the feed that transactions doesn't have any more",
      (lake) => lake.set("transaction_changes", "link_id = 'a' and sequence = 2", "description", "'x'"),
      /^link a, run NIGHT1: its rows in the feed are not those that were committed: rows_sha256 is another; they are in transaction_changes\/\S+\.parquet$/m,
    ],
    [
      "a bit of a data file of the feed",
      (lake) => lake.flipBit("transaction_changes", FIRST),
      /^link \w: the file transaction_changes\/\S+\.parquet was changed: its sha256 is not the one in the table's log; it holds rows of the links from \w to \w$/m,
    ],
    [
      "a bit of a data file of another table",
      (lake) => lake.flipBit("runs", "true"),
      /^table runs: the file runs\/\S+\.parquet was changed: its sha256 is not the one in the table's log$/m,
    ],
    [
      "a data file whose bytes are no longer Parquet",
      async (lake) => {
        const path = join(lake.directory, "link_syncs", await lake.fileWith("link_syncs", CERTIFIED));
        await writeFile(path, Buffer.alloc((await stat(path)).size));
      },
      /^table transaction_changes: the files of the feed or of link_syncs can't be read: /m,
    ],
    [
      "a commit that is missing in a log",
      async (lake) => rm((await lake.commits("transaction_changes"))[0] ?? ""),
      /^table transaction_changes: Version 0 of table transaction_changes is missing from its log/m,
    ],
  ])("%s", async (_, damage, words) => {
    const lake = await copy();
    await damage(lake);
    const { code, text } = await verified(lake.directory);
    const named = text.replaceAll(nights[0] ?? "", "NIGHT1").replaceAll(nights[1] ?? "", "NIGHT2");
    expect(named).toMatch(words);
    expect(named).toMatch(/^broken:\n/);
    expect(code).toBe(1);
  });
});

test("the first broken link comes first", async () => {
  const lake = await copy();
  await lake.changeCheckpoints(/./, { next_sequence: 99 });
  await lake.rewrite("transaction_changes", "link_id = 'c'", "from old where link_id <> 'c'");
  const { code, ok, problems } = await report(lake);
  expect({ code, ok }).toEqual({ code: 1, ok: false });
  expect(problems.map(({ link_id }) => link_id)).toEqual([...problems.map(({ link_id }) => link_id)].sort());
  expect(problems[0]?.link_id).toBe("a");
});

test("an update of a run that has not ended breaks nothing, and is not proved either", async () => {
  const lake = await copy();
  const night = `run_id = '${nights[1]}'`;
  await lake.rewrite(
    "link_syncs",
    `${CERTIFIED} and ${night}`,
    `from old where not (${CERTIFIED} and ${night})`,
  );
  await lake.goBack("runs");
  expect(await report(lake)).toMatchObject({ code: 0, ok: true, pending: 1, certificates: 5 });
  const { text } = await verified(lake.directory);
  expect(text).toMatch(/\nnot proved yet: 1 link whose run has not ended/);
});

test("a lake that is not there is exit 2", async () => {
  await expect(verified(join(temp.path, "nowhere"))).rejects.toMatchObject({ name: "InputError" });
});
