import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { openJobFolder } from "../../helpers/command/job-folder.js";
import { eachTest } from "../../helpers/each-test.js";
import { newName } from "../../helpers/kill/kill-points.js";
import { auditLake } from "../../helpers/lake/lake-audit.js";

const sandbox = eachTest(() =>
  startSandbox({ population: { kind: "synthetic", users: 1, linksPerUser: 2, rows: 100 } }),
);
const folder = eachTest(() => openJobFolder(sandbox));

async function expectSyncs(): Promise<void> {
  const { code, stderr } = await folder.sync().ended;
  expect(code, stderr).toBe(0);
  expect(await auditLake(folder.lake, sandbox)).toEqual([]);
}

test("everything killed while the server makes its first database: the same command starts and completes", async () => {
  const arrived = newName(folder.home, /^temporal\.db$/);
  const first = folder.sync();
  await arrived;
  for (const { pid } of folder.servers()) process.kill(pid, "SIGKILL");
  await first.end("SIGKILL");
  await expectSyncs();
});

test("a database that no server was ever ready on is created again", async () => {
  await mkdir(folder.home);
  await writeFile(join(folder.home, "temporal.db"), "");
  await expectSyncs();
});
