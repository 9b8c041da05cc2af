import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { runHere } from "../../helpers/command/command-here.js";
import type { JobFolder } from "../../helpers/command/job-folder.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const EXPORT = ["export", "cip", "--roster", "users.csv", "--approver", "c@bank.example"];

let sandbox: Sandbox;
let folder: JobFolder;
beforeEach(async () => {
  const population = { kind: "synthetic", users: 3, linksPerUser: 0, accountsPerLink: 0, rows: 0 } as const;
  sandbox = await startSandbox({ population });
  folder = await openClusterFolder(sandbox, sharedTemporal());
});
afterEach(async () => {
  await folder?.release();
  await sandbox?.close();
});

test("the retry of a signed export is signed with the same key, which is kept until it has ended", async () => {
  const key = join(folder.directory, "key.pem");
  await promisify(execFile)("openssl", ["genpkey", "-algorithm", "ed25519", "-out", key]);
  const [user = ""] = sandbox.world.users.keys();
  const fault = sandbox.addFault({ kind: "status", status: 404, operation: "create_cip_report", user });
  const run = async (args: readonly string[]) => {
    const { code, stdout } = await runHere(folder, [...args, "--json"]);
    return { code, said: JSON.parse(stdout) };
  };
  const first = await run([...EXPORT, "--sign-key", key]);
  expect(first).toMatchObject({ code: 1, said: { exported: 2, failed: 1 } });
  sandbox.removeFault(fault);
  const amended = await run(["runs", "retry", first.said.run_id]);
  expect(amended).toMatchObject({ code: 0, said: { exported: 3, failed: 0 } });
  const manifest = JSON.parse(await readFile(join(amended.said.export, "manifest.json"), "utf8"));
  expect(manifest).toMatchObject({ signature: { algorithm: "Ed25519" }, amends: first.said.run_id });
  expect((await runHere(folder, ["verify", amended.said.export])).code).toBe(0);
});
