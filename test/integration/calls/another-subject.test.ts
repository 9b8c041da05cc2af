import { readdir } from "node:fs/promises";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { endedOnboarding } from "../../helpers/calls/call-world.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { runHere } from "../../helpers/command/command-here.js";
import type { JobFolder } from "../../helpers/command/job-folder.js";
import { type LyingProxy, startLyingProxy } from "../../helpers/stand-in/lying-proxy.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
afterAll(() => temporal.stop());

let sandbox: Sandbox;
let proxy: LyingProxy;
let folder: JobFolder;
const OTHER = "onboarding_of_somebody_else_2222";
beforeEach(async () => {
  sandbox = await startSandbox();
  sandbox.playbooks.declare({ key: "pb_user" });
  sandbox.addUser({ fp_id: "fp_1" });
  proxy = await startLyingProxy(sandbox.url);
  folder = await openClusterFolder({ ...sandbox, url: proxy.url }, temporal);
});
afterEach(async () => {
  await folder.release();
  await proxy.close();
  await sandbox.close();
});

test("a call answered with somebody else's onboarding prints nothing of it, and exits 1", async () => {
  const id = await endedOnboarding(sandbox, "fp_1", "pb_user");
  const get = ["call", "get_onboarding", "--param", `id=${id}`, "--json"];
  proxy.lie = ({ path }, truth) => (path === `/onboardings/${id}` ? { ...truth, id: OTHER } : undefined);
  for (const flags of [[], ["--output", "answer.json"]]) {
    const { code, stdout, stderr } = await runHere(folder, [...get, ...flags]);
    expect(code, stderr).toBe(1);
    expect(JSON.parse(stdout).error).toMatchObject({
      class: "AnotherSubjectError",
      message: expect.stringMatching(/id is •••2222, asked for was •••.{4}\. It was not used\./),
    });
    expect(stdout + stderr).not.toMatch(new RegExp(`${OTHER}|"status":"(pass|fail)"`));
    expect(await readdir(folder.directory)).not.toContain("answer.json");
  }
});
