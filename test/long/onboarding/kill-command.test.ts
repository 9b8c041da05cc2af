import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { openJobFolder } from "../../helpers/command/job-folder.js";

const ARGS = ["onboard", "--customers", "customers.csv", "--playbook", "pb_kyc", "--json", "--window", "8"];
const POSTS = { operation: "create_onboarding" };
const users = Array.from({ length: 60 }, (_, at) => `fp_${at + 1}`);

test("killed over and over and started again, every row is one onboarding and one outcome", async () => {
  const sandbox = await startSandbox({
    playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 }, delayMs: [0, 400] }],
  });
  for (const fp_id of users) sandbox.addUser({ fp_id });
  const folder = await openJobFolder(sandbox);
  try {
    await writeFile(join(folder.directory, "customers.csv"), ["fp_id", ...users, ""].join("\n"));
    for (const calls of [10, 15, 20]) {
      const asked = sandbox.waitForRequests(calls, POSTS);
      const command = folder.command(ARGS);
      await asked;
      await command.end("SIGKILL");
    }
    const { code, stdout } = await folder.command(ARGS).ended;
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, customers: { total: 60, pass: 60 } });
    expect(users.map((user) => sandbox.onboardings.of(user).length)).toEqual(Array(60).fill(1));
    const asked = "select line, count(*) as n from onboardings group by line having n <> 1";
    const rows = await folder.command(["query", "--json", asked]).ended;
    expect(JSON.parse(rows.stdout)).toEqual([]);
  } finally {
    await folder.release();
    await sandbox.close();
  }
});
