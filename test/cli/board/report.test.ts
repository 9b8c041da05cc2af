import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { showReport } from "../../../src/cli/board/report.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";
import { lakeOfRows } from "../../helpers/query/lake-of-rows.js";

const HOSTILE = '<img src=x onerror="alert(1)"><a href="/x">';
const RUN = {
  ...{
    run_id: "sync-20261121T020000Z-0a1b2c",
    kind: "sync",
    status: "failed",
    message: HOSTILE,
    reason: "error",
  },
  ...{ started_at: "2026-11-21T02:00:00Z", finished_at: "2026-11-21T02:01:00Z", links: 3, calls: 4 },
};

let lake: Awaited<ReturnType<typeof lakeOfRows>>;
let directory: string;
beforeEach(async () => {
  lake = await lakeOfRows({ runs: [RUN] });
  directory = await mkdtemp(join(tmpdir(), "nightledger-report-"));
});
afterEach(async () => {
  await lake.release();
  await rm(directory, { recursive: true, force: true });
});

async function report(flags: Partial<Parameters<typeof showReport>[1]>) {
  const printed: string[] = [];
  const env = { NIGHTLEDGER_LAKE: lake.directory, NIGHTLEDGER_HOME: directory };
  const terminal = { ...SILENT, env, cwd: directory, result: (text: string) => void printed.push(text) };
  const code = await showReport(terminal, { days: 30, out: "report.html", ...flags });
  return { code, printed };
}

test("the file needs nothing else, leads nowhere, runs nothing, and only its owner may read it", async () => {
  expect((await report({})).code).toBe(0);
  const html = await readFile(join(directory, "report.html"), "utf8");
  expect(html).toContain(RUN.run_id);
  expect(html).not.toMatch(/<script|<form|<img|<link|<a href="\/|url\(/);
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) < at)).toEqual([]);
  expect((await stat(join(directory, "report.html"))).mode & 0o777).toBe(0o600);
});

test("a report replaces an earlier one, and no other file", async () => {
  await report({});
  expect((await report({ last: true })).code).toBe(0);
  await writeFile(join(directory, "users.csv"), "fp_id\nfp_1\n");
  await expect(report({ out: "users.csv" })).rejects.toThrow(/users\.csv is there and is no report/);
  expect(await readFile(join(directory, "users.csv"), "utf8")).toBe("fp_id\nfp_1\n");
});

test("one run, by its id or as the newest; JSON writes no file, and a run that is not there is said to be so", async () => {
  const { printed } = await report({ last: true, json: true });
  expect(JSON.parse(printed[0] ?? "")).toMatchObject({
    [`/runs/${RUN.run_id}`]: { run_id: RUN.run_id, status: "failed" },
  });
  await expect(report({ run: "sync-20261121T020000Z-ffffff" })).rejects.toThrow(/there is no run/);
  await expect(report({ run: RUN.run_id, last: true })).rejects.toThrow(/Give one of them/);
  expect((await readdir(directory)).filter((name) => name.endsWith(".html"))).toEqual([]);
});
