import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLake } from "../../../../src/lake/lake.js";
import { setHold } from "../../../../src/lake/sync/forget/holds.js";
import { applyRetention } from "../../../../src/lake/sync/retention/apply-retention.js";
import { eachFile } from "../../../helpers/each-test.js";
import { heardTime, LATE } from "../../../helpers/lake/log/heard-time.js";
import { addLink, created, removed, updated } from "../../../helpers/sync/scripted-links.js";
import { openSyncWorld } from "../../../helpers/sync/sync-harness.js";
import { verified } from "../../../helpers/tampering/verified.js";
import { sharedTemporal } from "../../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
/** Long after the lake came to know its rows. */
const NOW = Date.parse("2199-06-30T12:00:00Z");
/** Rows until 2025-06-30 are over. */
const RULES = { transactions: 174 };
const world = eachFile(() => openSyncWorld(temporal));

const on = (date: string, pending = false) => ({ date, pending });

beforeAll(async () => {
  const { sandbox } = world;
  for (const user of ["x", "held"]) {
    addLink(world, `link_${user}`, 0, `fp_${user}`);
    sandbox.append(`link_${user}`, [
      created("old", on("2025-06-30")),
      created("moved", on("2025-06-29")),
      created("first-day-kept", on("2025-07-01")),
      created("old-pending", { ...on("2025-06-20", true), amount: "77.10" }),
      created("late-pending", { ...on("2025-07-02", true), amount: "5.55" }),
      created("new", on("2026-06-01")),
    ]);
  }
  addLink(world, "link_young", 3, "fp_young");
  await world.sync();
  sandbox.append("link_x", [
    updated("moved", on("2025-07-05")),
    removed("old-pending"),
    created("old-posted", { ...on("2025-06-21"), amount: "77.10" }),
    removed("late-pending"),
    created("late-posted", { ...on("2025-07-03"), amount: "5.55" }),
  ]);
  await world.sync();
  await inLake((lake) => heardTime(lake, LATE));
  await inLake((lake) => setHold(lake, ["fp_held"], "held", { reason: "case 1", by: "counsel" }));
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
const retain = (options: { readonly dryRun?: boolean; readonly signal?: AbortSignal } = {}) =>
  inLake((lake) => applyRetention(RULES, () => NOW)(lake, { dryRun: false, ...options }));
const ids = async (table: string, column = "transaction_id") => {
  const rows = await world.rows(
    `select distinct ${column} as id from ${table} where link_id = 'link_x' order by id`,
  );
  return rows.map(({ id }) => id);
};
const GOING = [
  { table: "transaction_changes", rows: 4 },
  { table: "transactions", rows: 2 },
];

test("a dry run says what goes, and changes nothing", async () => {
  const [report] = await retain({ dryRun: true });
  expect(report).toMatchObject({ class: "transactions", until: "2025-06-30" });
  expect(report?.tables).toHaveLength(2);
  expect(report?.tables).toEqual(expect.arrayContaining(GOING));
  expect(await ids("transactions")).toContain("old");
});

test("killed before the feed lost its rows, the next call takes them all, and counts each once", async () => {
  const abort = new AbortController();
  const running = inLake(async (lake) => {
    const table = lake.table.bind(lake);
    const stopping = (name: string) => {
      if (name === "transaction_changes" && began) abort.abort(new Error("killed"));
      if (name === "transactions") began = true;
      return table(name);
    };
    let began = false;
    return applyRetention(RULES, () => NOW)(
      { ...lake, table: stopping },
      { dryRun: false, signal: abort.signal },
    );
  });
  await expect(running).rejects.toThrow("killed");
  expect(await ids("transaction_changes")).toContain("old");
  const [report] = await retain();
  expect(report?.tables).toEqual(expect.arrayContaining(GOING));
  expect(
    await world.rows("select table_name, rows::int as rows, state, reason from erasures order by 1"),
  ).toEqual(
    [...GOING]
      .sort((a, b) => (a.table < b.table ? -1 : 1))
      .map(({ table, rows }) => ({
        table_name: table,
        ...{ rows, state: "expired", reason: "transactions: 174y" },
      })),
  );
});

test("all changes of a transaction go by its last day, in every version; a held person and younger rows stay", async () => {
  const kept = ["first-day-kept", "late-pending", "late-posted", "moved", "new"];
  expect(await ids("transaction_changes")).toEqual(kept);
  expect(await ids("transactions")).toEqual(kept.filter((id) => id !== "late-pending"));
  expect(await ids("transaction_links", "pending_transaction_id")).toEqual(["late-pending"]);
  expect(await world.rows("from transactions where link_id = 'link_held'")).toHaveLength(6);
  const names = await readdir(world.lake, { recursive: true });
  for (const name of names.filter((one) => one.endsWith(".parquet") && !one.includes("_delta_log"))) {
    const [row] = await inLake((lake) =>
      lake.duckdb.exclusive((sql) =>
        sql.rowsAtOnce(`select count(*)::int as n from read_parquet('${join(world.lake, name)}') as t
          where t::varchar like '%link_x%' and t::varchar like '%old-p%'`),
      ),
    );
    expect([name, row?.n]).toEqual([name, 0]);
  }
});

test("verify proves what is left of each certificate, and a rebuild of transactions gives the same", async () => {
  const { code, text } = await verified(world.lake);
  expect(text).toContain("purged: the rows of 2 certificates are those that purges says");
  expect(code).toBe(0);
  expect(await retain()).toEqual([{ class: "transactions", until: "2025-06-30", tables: [] }]);
});

test("a later sync goes on with these links, and a full one brings the service's rows, which go again", async () => {
  world.sandbox.append("link_x", [updated("new", on("2026-06-02")), created("newer", on("2026-06-03"))]);
  const { result } = await world.sync();
  expect(result).toMatchObject({ rows: { created: 1, updated: 1 } });
  expect(await world.log()).not.toContain("was rebuilt");
  expect((await verified(world.lake)).code).toBe(0);
  await world.sync({ full: true });
  expect(await ids("transactions")).toContain("old");
  await retain();
  expect(await ids("transactions")).not.toContain("old");
  expect((await verified(world.lake)).code).toBe(0);
});

test("without the proof of what is left, verify names the certificates that lack rows", async () => {
  const log = join(world.lake, "purges", "_delta_log");
  for (const name of await readdir(log)) {
    const text = await readFile(join(log, name), "utf8");
    await writeFile(
      join(log, name),
      text
        .split("\n")
        .filter((line) => !line.startsWith('{"add"'))
        .join("\n"),
    );
  }
  const { code, text } = await verified(world.lake);
  expect(text).toContain("its certificate says");
  expect(code).toBe(1);
});
