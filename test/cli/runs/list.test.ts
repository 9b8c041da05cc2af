import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { openLake } from "../../../src/lake/lake.js";
import { rememberLake } from "../../../src/lake/service-binding.js";
import { runs } from "../../../src/lake/tables/runs.js";
import { runHere } from "../../helpers/command/command-here.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";
import { appendRows } from "../../helpers/query/append-rows.js";

const RUN = "sync-20261121T021500Z-3f9c2a";

const temp = eachTest(tempDirectory);
const lake = eachTest(() => openLake({ directory: join(temp.path, "lake") }));
beforeEach(async () => {
  const times = { started_at: "2026-11-21T02:15:00Z", finished_at: "2026-11-21T02:16:00Z" };
  const rows = [{ run_id: RUN, kind: "sync", status: "completed", ...times }];
  await appendRows(lake, runs, rows);
});

// These asked for the address and the key of the service, and for a lake that can be written.
test.each(["runs list", `runs show ${RUN}`, "status"])(
  "%s reads the lake, without any setting of the service",
  async (command) => {
    const { code, stdout, stderr } = await runHere({ directory: temp.path, env: {} }, command.split(" "));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(RUN);
  },
);

// Without the preflight of a job, a lake that was moved away was shown as one without runs.
test.each(["runs list", "status"])("%s names a lake that is gone", async (command) => {
  await rememberLake(join(temp.path, ".nightledger"), join(temp.path, "lake"), "the lake that was here");
  const { code, stderr } = await runHere({ directory: temp.path, env: {} }, command.split(" "));
  expect(code).toBe(2);
  expect(stderr).toContain("is gone");
});

test.each([
  ["runs show", RUN.replace("3f9c2a", "3f9ca2"), `Did you mean ${RUN}?`],
  ["runs watch", RUN.replace("3f9c2a", "3f9c2"), `Did you mean ${RUN}?`],
  ["runs list --status", "complete", "Did you mean completed?"],
])("%s %s asks what was meant", async (command, name, words) => {
  const env = { NIGHTLEDGER_API_URL: "http://127.0.0.1:9", NIGHTLEDGER_API_KEY: "key" };
  const { code, stderr } = await runHere({ directory: temp.path, env }, [...command.split(" "), name]);
  expect(code).toBe(2);
  expect(stderr).toContain(words);
});

// Each of these answered as for an empty lake; the schedules made it, and the report replaced the file of yesterday.
test.each([
  ["runs list", 0],
  ["schedule list", 0],
  ["report --out old.html", 2],
  ["materialize", 2],
])("%s says that a mistyped lake is none, and makes none", async (command, expected) => {
  const env = {
    NIGHTLEDGER_API_URL: "http://127.0.0.1:9",
    NIGHTLEDGER_API_KEY: "key",
    NIGHTLEDGER_LAKE: "./typo",
  };
  await writeFile(join(temp.path, "old.html"), "old");
  const { code, stderr } = await runHere({ directory: temp.path, env }, command.split(" "));
  expect(code).toBe(expected);
  expect(stderr).toContain("typo does not exist yet; the first sync creates it");
  expect(await readFile(join(temp.path, "old.html"), "utf8")).toBe("old");
  expect(await readdir(temp.path)).toEqual(["lake", "old.html"]);
});
