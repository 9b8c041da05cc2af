import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { TABLES } from "../../../src/tables.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { runHere } from "../../helpers/command/command-here.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

test("each table is there from the first job on, whatever it brought, and one that an upgrade brings from the next", async () => {
  const sandbox = await startSandbox({});
  sandbox.addUser({ fp_id: "u1" });
  const folder = await openClusterFolder(sandbox, sharedTemporal());
  try {
    await writeFile(folder.roster, "fp_id\nu1\n");
    const night = async () => {
      const done = await runHere(folder, ["sync", "--roster", "users.csv", "--json"]);
      expect(done, done.stderr).toMatchObject({ code: 0 });
    };
    const folders = async () => (await readdir(folder.lake)).filter((name) => /^[a-z]/.test(name)).sort();
    const names = TABLES.map(({ name }) => name);
    await night();
    expect(await folders()).toEqual(names);
    await rm(join(folder.lake, "vault_values"), { recursive: true });
    await night();
    expect(await folders()).toEqual(names);
    const sql = names.map((name) => `select '${name}' as name, count(*) as rows from ${name}`);
    const counted = await runHere(folder, ["query", sql.join(" union all "), "--json"]);
    const filled = JSON.parse(counted.stdout).filter(({ rows }: { rows: number }) => Number(rows) > 0);
    expect(filled.map(({ name }: { name: string }) => name)).toEqual(["runs"]);
    expect(await runHere(folder, ["verify"])).toMatchObject({ code: 0 });
  } finally {
    await folder.release();
    await sandbox.close();
  }
});
