import { expect, test } from "vitest";
import { DAY } from "../../../../src/domain/duration.js";
import { runId } from "../../../../src/domain/run.js";
import { readPage } from "../../../helpers/board/read-page.js";
import { sayHere } from "../../../helpers/command/command-here.js";
import { eachFile } from "../../../helpers/each-test.js";
import { lakeOfRows } from "../../../helpers/query/lake-of-rows.js";

const HOSTILE = '<img src=x onerror="alert(1)">';
const OPEN = "sync-20261121T021500Z-3f9c2a";
/** More than two pages; all of one day have the same start, so that a page ends between equals. */
const ROWS = Array.from({ length: 104 }, (_, at) => {
  const started = new Date(Math.floor(Date.now() / DAY - Math.floor(at / 26)) * DAY);
  return {
    run_id: runId("sync", started, at.toString(16).padStart(6, "0")),
    kind: at % 13 === 0 ? "import" : "sync",
    status: at % 26 === 1 ? "completed_with_failures" : "completed",
    schedule: at % 2 === 0 ? HOSTILE : null,
    ...{ started_at: started.toISOString(), finished_at: started.toISOString() },
    ...{ users: 3, created: 2, updated: 1, removed: 1 },
  };
});

interface Model {
  readonly unfinished: readonly { readonly run_id: string; readonly words: string }[];
  readonly ended: readonly { readonly run_id: string }[];
  readonly total: number;
  readonly older_after: string | null;
  readonly days: readonly object[];
}

const lake = eachFile(() => lakeOfRows({ runs: ROWS }, [OPEN]));

test("pages hold what runs list prints, each run once, those that have not ended first", async () => {
  const { said } = await sayHere(lake, "runs", "list", "--limit", "0");
  const ids: string[] = [];
  let after: string | null = "";
  while (after !== null) {
    const { model }: { model: Model } = await readPage<Model>(lake, `/runs?after=${after}`);
    expect(model.total).toBe(ROWS.length);
    ids.push(...model.unfinished.map(({ run_id }) => run_id), ...model.ended.map(({ run_id }) => run_id));
    after = model.older_after;
  }
  expect(ids).toEqual(said.map(({ run_id }: { run_id: string }) => run_id));
  expect(ids[0]).toBe(OPEN);
});

test("days are counted whole, however many runs a page shows", async () => {
  const { model } = await readPage<Model>(lake, "/runs");
  expect(model.days).toHaveLength(14);
  const counted = { completed: 25, failed: 1, cancelled: 0, rows: 104 };
  const days = [3, 2, 1, 0].map((ago) => new Date(Date.now() - ago * DAY).toISOString().slice(0, 10));
  expect(model.days.slice(-4)).toEqual(days.map((day) => ({ day, ...counted })));
  expect(model.days.slice(0, -4)).toEqual(model.days.slice(0, -4).map((day) => ({ ...day, rows: 0 })));
});

test("filters are those of the command, and the form and the link to older ones keep them", async () => {
  const asked = `kind=sync&schedule=${encodeURIComponent(HOSTILE)}&since=30d`;
  const { model, body } = await readPage<Model>(lake, `/runs?${asked}`);
  const flags = ["--kind", "sync", "--schedule", HOSTILE, "--since", "30d", "--limit", "0"];
  const { said } = await sayHere(lake, "runs", "list", ...flags);
  expect(model.total).toBe(said.length);
  expect(model.ended).toEqual(said.slice(0, model.ended.length));
  expect(body.html).toContain('<option value="sync" selected>');
  expect(body.html).toContain("&lt;img src=x");
  expect(body.html).not.toContain("<img");
  const failed = await readPage<Model>(lake, "/runs?status=completed_with_failures");
  expect(failed.model).toMatchObject({ total: 4, unfinished: [], older_after: null });
});

test.for([
  ["kind=x", /--kind: "x" is unknown/],
  ["since=soon", /since soon: accepted/],
  ["day=2026-13-40", /since 2026-13-40: accepted/],
  ["day=2026-02-31", /since 2026-02-31: accepted/],
] as const)("%s is refused by name", async ([asked, words]) => {
  await expect(readPage(lake, `/runs?${asked}`)).rejects.toThrow(words);
});
