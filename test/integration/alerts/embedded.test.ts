import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { ALERT_SECRET, type AlertReceiver, startAlertReceiver } from "../../helpers/alerts/alert-receiver.js";
import { type JobFolder, openJobFolder } from "../../helpers/command/job-folder.js";

let sandbox: Sandbox;
let folder: JobFolder;
let receiver: AlertReceiver;
beforeEach(async () => {
  sandbox = await startSandbox({ population: { kind: "synthetic", users: 1, linksPerUser: 2, rows: 20 } });
  receiver = await startAlertReceiver();
  folder = await openJobFolder(sandbox, { NIGHTLEDGER_ALERT_WEBHOOK_SECRET: ALERT_SECRET });
  const file = `alerts: { failed-links: 0, notify-webhook: "${receiver.url}" }`;
  await writeFile(join(folder.directory, "nightledger.yaml"), file);
});
afterEach(async () => {
  await folder?.release();
  await receiver?.close();
  await sandbox?.close();
});

test("a sync without `dev` delivers its alerts before its command ends, and the next one what was left", async () => {
  const [link = ""] = sandbox.world.links.keys();
  const fault = sandbox.addFault({ kind: "status", status: 400, link });
  expect((await folder.sync().ended).code).toBe(1);
  expect(receiver.taken()).toEqual(["alert.raised"]);
  expect(receiver.requests[0]?.isSigned).toBe(true);
  sandbox.removeFault(fault);
  // So many refusals that the command does not wait for the last.
  receiver.refuse(...Array<number>(5).fill(503));
  const { code, stderr } = await folder.sync().ended;
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /an alert is not delivered yet \(the webhook for alerts at http\S+ answered 503\); while a worker runs, delivery is retried for a day/,
  );
  const dev = folder.command(["dev"]);
  await expect.poll(() => receiver.taken(), { timeout: 120_000 }).toEqual(["alert.raised", "alert.cleared"]);
  await dev.end("SIGTERM");
});
