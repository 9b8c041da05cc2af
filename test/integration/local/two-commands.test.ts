import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { openJobFolder } from "../../helpers/command/job-folder.js";
import { eachTest } from "../../helpers/each-test.js";

const sandbox = eachTest(() =>
  startSandbox({ population: { kind: "synthetic", users: 2, linksPerUser: 1, rows: 5 } }),
);
const folder = eachTest(() => openJobFolder(sandbox));

test("a run that another command in this HOME is working on is not called left unfinished", async () => {
  const [one = "", two = ""] = sandbox.world.users.keys();
  const [link = ""] = sandbox.world.links.keys();
  const hang = sandbox.addFault({ kind: "hang", link });
  const asked = () => sandbox.requests({ operation: "sync_transactions" }).map((request) => request.link);
  await writeFile(folder.roster, `fp_id\n${one}\n`);
  const first = folder.sync();
  await expect.poll(asked, { timeout: 120_000 }).toContain(link);
  await writeFile(join(folder.directory, "other.csv"), `fp_id\n${two}\n`);
  const second = await folder.command(["sync", "--roster", "other.csv", "--json"]).ended;
  sandbox.removeFault(hang);
  expect(second).toMatchObject({ code: 0 });
  expect(second.stderr).toMatch(
    /run sync-\S+ of another job is in progress; it continues while this command/,
  );
  expect(second.stderr).not.toContain("left unfinished");
  await first.end("SIGKILL");
});
