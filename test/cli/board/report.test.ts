import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { showReport } from "../../../src/cli/board/report.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";
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

const lake = eachTest(() => lakeOfRows({ runs: [RUN] }));
const temp = eachTest(tempDirectory);

async function report(flags: Partial<Parameters<typeof showReport>[1]>) {
  const printed: string[] = [];
  const env = { NIGHTLEDGER_LAKE: lake.directory, NIGHTLEDGER_HOME: temp.path };
  const terminal = { ...SILENT, env, cwd: temp.path, result: (text: string) => void printed.push(text) };
  const code = await showReport(terminal, { days: 30, out: "report.html", ...flags });
  return { code, printed };
}

test("the file needs nothing else, leads nowhere, runs nothing, and only its owner may read it", async () => {
  expect((await report({})).code).toBe(0);
  const html = await readFile(join(temp.path, "report.html"), "utf8");
  expect(html).toContain(RUN.run_id);
  expect(html).toContain("The last sync ended at 2026-11-21T02:01:00Z.");
  expect(html).not.toMatch(/\d[smhd] ago/);
  expect(html).not.toMatch(/<script|<form|<img|<link|<a href="\/|url\(/);
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) < at)).toEqual([]);
  expect((await stat(join(temp.path, "report.html"))).mode & 0o777).toBe(0o600);
});

test("a report replaces an earlier one, and no other file", async () => {
  await report({});
  expect((await report({ last: true })).code).toBe(0);
  await writeFile(join(temp.path, "users.csv"), "fp_id\nfp_1\n");
  await expect(report({ out: "users.csv" })).rejects.toThrow(/users\.csv is there and is no report/);
  expect(await readFile(join(temp.path, "users.csv"), "utf8")).toBe("fp_id\nfp_1\n");
});

test("one run, by its id or as the newest; JSON writes no file, and a run that is not there is said to be so", async () => {
  const { printed } = await report({ last: true, json: true });
  expect(JSON.parse(printed[0] ?? "")).toMatchObject({
    [`/runs/${RUN.run_id}`]: { run_id: RUN.run_id, status: "failed" },
  });
  await expect(report({ run: "sync-20261121T020000Z-ffffff" })).rejects.toThrow(/there is no run/);
  await expect(report({ run: RUN.run_id, last: true })).rejects.toThrow(/Give one of them/);
  expect((await readdir(temp.path)).filter((name) => name.endsWith(".html"))).toEqual([]);
});
