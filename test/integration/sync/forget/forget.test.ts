import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLake } from "../../../../src/lake/lake.js";
import { forget, readAgain, rowsOfPerson } from "../../../../src/lake/sync/forget/forget.js";
import { setHold } from "../../../../src/lake/sync/forget/holds.js";
import { personOf } from "../../../../src/lake/sync/forget/person.js";
import { TABLES } from "../../../../src/tables.js";
import { runHere } from "../../../helpers/command/command-here.js";
import { eachFile } from "../../../helpers/each-test.js";
import { addLink, addRows, removed, updated } from "../../../helpers/sync/scripted-links.js";
import { openSyncWorld } from "../../../helpers/sync/sync-harness.js";
import { verified } from "../../../helpers/tampering/verified.js";
import { sharedTemporal } from "../../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
const ASKED = { reason: "asked for it", by: "privacy" };
const world = eachFile(() => openSyncWorld(temporal));

beforeAll(async () => {
  for (const user of ["x", "y"]) addLink(world, `link_${user}`, 5, `fp_${user}`);
  await world.sync({ users: ["fp_y", { fp_id: "fp_x", external_id: "C-x" }] });
  world.sandbox.append("link_x", [removed("link_x-0003"), updated("link_x-0002")]);
  addRows(world.sandbox, "link_y", 3, 5);
  await world.sync();
});
afterAll(async () => {
  await temporal.stop();
});

const inLake = async <R>(work: (lake: ReturnType<typeof openLake>) => Promise<R>) => {
  const lake = openLake({ directory: world.lake });
  try {
    return await work(lake);
  } finally {
    await lake.close();
  }
};
const forgetX = () => inLake((lake) => forget(lake, TABLES, "fp_x", ASKED));
const count = async (sql: string) => (await world.rows(`select count(*) as n from ${sql}`))[0]?.n;

/** The Parquet files of the lake, live or not, that have a text of the person's rows. */
async function filesWith(text: string): Promise<string[]> {
  const names = await readdir(world.lake, { recursive: true });
  const files = names.filter((name) => name.endsWith(".parquet") && !name.includes("_delta_log"));
  const found: string[] = [];
  for (const name of files) {
    const [row] = await world.rows(
      `select count(*) as n from read_parquet('${join(world.lake, name)}') as t where t::varchar like '%${text}%'`,
    );
    if (Number(row?.n) > 0) found.push(name.split("/")[0] as string);
  }
  return [...new Set(found)];
}

const SAID = ["--reason", "asked for it", "--by", "privacy"];
const command = (...args: string[]) =>
  runHere({ directory: dirname(world.lake), env: { NIGHTLEDGER_LAKE: world.lake } }, [...args, ...SAID]);

// A mistyped id was held without a word, and the person it was meant for was not.
test("a hold on somebody whom no table knows says so", async () => {
  const { code, stderr } = await command("hold", "add", "fp_y", "fp_z");
  expect(code).toBe(0);
  expect(stderr).toBe(
    "warning: no table has rows of fp_z; check the id, or keep the hold for rows to come\n",
  );
  expect((await command("hold", "remove", "fp_y", "fp_z")).stderr).toBe("");
});

test("under a legal hold nobody is forgotten", async () => {
  await inLake((lake) => setHold(lake, ["fp_x"], "held", ASKED));
  await expect(forgetX()).rejects.toThrow(/fp_x is under a legal hold, by hold add\. Nothing was erased\./);
  expect(await inLake((lake) => setHold(lake, ["fp_x"], "held", ASKED))).toEqual(["fp_x"]);
  await inLake((lake) => setHold(lake, ["fp_x"], "lifted", ASKED));
});

test("a person goes out of every table and every version; verify proves the rest, and says what went", async () => {
  const before = await inLake(async (lake) =>
    rowsOfPerson(lake, TABLES, await personOf(lake, TABLES, "fp_x")),
  );
  const others = await world.rows("from transactions where fp_id = 'fp_y' order by transaction_id");
  expect(before).toContainEqual({ table: "transaction_changes", rows: 7 });
  const names = (rows: readonly { readonly table: string }[]) => rows.map(({ table }) => table).sort();
  const erased = await forgetX();
  expect(names(erased)).toEqual(names(before));
  expect(erased).toEqual(expect.arrayContaining(before));
  expect(
    await inLake(async (lake) => rowsOfPerson(lake, TABLES, await personOf(lake, TABLES, "fp_x"))),
  ).toEqual([]);
  expect(await filesWith("link_x")).toEqual(["link_syncs"]);
  expect(await filesWith("C-x")).toEqual([]);
  expect(await world.rows("from transactions where fp_id = 'fp_y' order by transaction_id")).toEqual(others);
  expect(
    await count("erasures where fp_id = 'fp_x' and state = 'forgotten' and recorded_by = 'privacy'"),
  ).toBe(erased.length);
  const { code, text } = await verified(world.lake);
  expect(text).toMatch(/^proved: 4 certificates of 2 links, 8 rows of the feed/);
  expect(text).toContain("forgotten: the rows of 2 certificates");
  expect(code).toBe(0);
  expect(await forgetX()).toEqual([]);
  expect((await command("forget", "fp_x", "--yes")).stdout).toBe(
    "fp_x was forgotten before, and no table has had rows since\n",
  );
  expect(await count("erasures")).toBe(erased.length);
});

test("the feed refuses deletions afterwards, as before", async () => {
  const log = join(world.lake, "transaction_changes", "_delta_log");
  const commits = (await readdir(log)).filter((name) => name.endsWith(".json")).sort();
  const texts = await Promise.all(commits.map((name) => readFile(join(log, name), "utf8")));
  const metadata = texts.filter((text) => text.includes('"metaData"'));
  expect(metadata.length).toBe(3);
  expect(metadata.at(-1)).toContain('"delta.appendOnly":"true"');
});

test("of somebody whom no table knows there is nothing to forget, and nothing is recorded", async () => {
  const nobody = inLake((lake) => forget(lake, TABLES, "fp_nobody", ASKED));
  await expect(nobody).rejects.toThrow(/No table has rows of fp_nobody/);
  expect(await count("erasures where fp_id = 'fp_nobody'")).toBe(0);
});

test("a sync leaves the person out and rebuilds nothing", async () => {
  addRows(world.sandbox, "link_x", 2, 6);
  addRows(world.sandbox, "link_y", 2, 6);
  const { result } = await world.sync();
  expect(result).toMatchObject({
    users: { total: 2, failed: 0, forgotten: 1 },
    rows: { created: 2 },
    links: { synced: 1 },
  });
  expect(await count("transactions where fp_id = 'fp_x'")).toBe(0);
  expect(await world.log()).not.toContain("was rebuilt");
  expect((await verified(world.lake)).code).toBe(0);
});

test("read again, the person's links begin from nothing and their certificates continue", async () => {
  await inLake((lake) => readAgain(lake, ["fp_x"], ASKED));
  await world.sync();
  expect(await count("transactions where fp_id = 'fp_x'")).toBe(world.sandbox.truth("link_x").rows.length);
  expect(await world.rows("select distinct generation from transactions where fp_id = 'fp_x'")).toEqual([
    { generation: 2 },
  ]);
  const { code, text } = await verified(world.lake);
  expect(text).toContain("forgotten: the rows of 2 certificates");
  expect(code).toBe(0);
});

test("killed in the middle, the same call does the rest, and counts each row once", async () => {
  const abort = new AbortController();
  const stopping = (table: string) => table === "transactions" && abort.abort(new Error("killed"));
  await expect(
    inLake((lake) =>
      forget(lake, TABLES, "fp_x", {
        ...ASKED,
        signal: abort.signal,
        onTable: (table) => void stopping(table),
      }),
    ),
  ).rejects.toThrow("killed");
  const left = await count("transactions where fp_id = 'fp_x'");
  expect(left).toBeGreaterThan(0);
  const rows = await forgetX();
  expect(rows).toContainEqual({ table: "transactions", rows: left });
  expect(rows).toContainEqual({ table: "transaction_changes", rows: 9 });
  expect((await verified(world.lake)).code).toBe(0);
});
