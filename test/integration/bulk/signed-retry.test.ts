import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import type { RunModel } from "../../../src/cli/board/pages/run.js";
import { readPage } from "../../helpers/board/read-page.js";
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

test("the key of a signed export is not kept for its retry, which asks for it again", async () => {
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
  const retry = ["runs", "retry", first.said.run_id];
  const refused = await run(retry);
  expect(refused).toMatchObject({ code: 2, said: { error: { class: "InputError" } } });
  expect(refused.said.error.message).toMatch(/signed its pack.*Nothing was started. Give --sign-key again/);
  const { model, body } = await readPage<RunModel>(folder, `/runs/${first.said.run_id}`);
  expect(model).toMatchObject({ actions: [], again: `nightledger ${retry.join(" ")} --sign-key …` });
  expect(body.html).not.toContain("<form");
  const amended = await run([...retry, "--sign-key", key]);
  expect(amended).toMatchObject({ code: 0, said: { exported: 3, failed: 0 } });
  const manifest = JSON.parse(await readFile(join(amended.said.export, "manifest.json"), "utf8"));
  expect(manifest).toMatchObject({ signature: { algorithm: "Ed25519" }, amends: first.said.run_id });
  expect((await runHere(folder, ["verify", amended.said.export])).code).toBe(0);
});
