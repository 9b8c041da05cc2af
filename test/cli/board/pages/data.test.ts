import { afterEach, expect, test } from "vitest";
import type { BoardView, Page } from "../../../../src/cli/board/page.js";
import { data, dataTable } from "../../../../src/cli/board/pages/data.js";
import { quarantine } from "../../../../src/cli/board/pages/quarantine.js";
import { lakeOfRows } from "../../../helpers/query/lake-of-rows.js";

const HOSTILE = '<img src=x onerror="alert(1)">';
const BAD = {
  ...{
    run_id: "sync-1",
    stream: "transactions",
    fp_id: "u",
    link_id: "l",
    page: 0,
    index: 0,
    list: "created",
  },
  ...{
    payload: '{"transaction_id":"t","description":"a private thing"}',
    fetched_at: "2026-11-21T02:00:00Z",
  },
};

let lake: Awaited<ReturnType<typeof lakeOfRows>> | undefined;
afterEach(() => lake?.release());

async function shown(
  page: Page,
  tables: Parameters<typeof lakeOfRows>[0],
  parts: Record<string, string> = {},
) {
  lake = await lakeOfRows(tables);
  const view = { query: lake.query } as unknown as BoardView;
  const { model, body } = await page.read(view, {
    part: (name) => parts[name] ?? "",
    filter: () => undefined,
  });
  return { model, html: body.html };
}

test("bad rows are counted by reason, and what they say is on no page but masked", async () => {
  const { model, html } = await shown(quarantine, {
    quarantine: [
      { ...BAD, reason: HOSTILE },
      { ...BAD, index: 1, reason: HOSTILE },
      { ...BAD, index: 2, reason: "amount: not a decimal" },
    ],
  });
  expect(model).toMatchObject({
    open: 3,
    closed: 0,
    by_reason: [
      { reason: HOSTILE, count: 2 },
      { reason: "amount: not a decimal", count: 1 },
    ],
  });
  const masked = '{"transaction_id":"x","description":"x xxxxxxx xxxxx"}';
  expect(model).toMatchObject({ rows: Array.from({ length: 3 }, () => ({ masked })) });
  expect(html).toContain("x xxxxxxx xxxxx");
  expect(JSON.stringify(model) + html).not.toContain("private");
  expect(html).not.toContain("<img");
});

test("a table's newest rows, with encrypted values as such and long ones cut", async () => {
  const run = {
    run_id: "sync-1",
    message: `${"x".repeat(100)}${HOSTILE}`,
    finished_at: "2026-11-21T02:00:00Z",
  };
  const { model, html } = await shown(
    dataTable,
    { runs: [run, { ...run, run_id: "sync-2", message: null, finished_at: "2026-11-22T02:00:00Z" }] },
    { table: "runs" },
  );
  expect(model).toMatchObject({
    table: "runs",
    rows: 2,
    newest: [{ run_id: "sync-2" }, { run_id: "sync-1" }],
  });
  expect(html).toContain(`${"x".repeat(59)}…`);
  const { columns } = model as { columns: readonly { name: string; encrypted: boolean }[] };
  expect(columns.filter(({ encrypted }) => encrypted)).toEqual([]);
});

test.for(['nope"; select 1; --', "../runs", ""])("%s is no table, and reaches no query", async (table) => {
  await expect(shown(dataTable, { runs: [{ run_id: "sync-1" }] }, { table })).rejects.toThrow(
    /there is no table/,
  );
});

test("tables say what the last nights added, of those whose rows say when", async () => {
  const finished_at = new Date().toISOString();
  const { model } = await shown(data, {
    runs: [
      { run_id: "a", finished_at },
      { run_id: "b", finished_at },
      { run_id: "c", finished_at: "2020-01-01T00:00:00Z" },
    ],
  });
  expect(model).toMatchObject({ tables: [{ table: "runs", rows: 3, per_night: 2 }] });
});
