import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { freePort } from "../../helpers/command/free-port.js";
import { type JobFolder, openJobFolder } from "../../helpers/command/job-folder.js";
import { eachTest } from "../../helpers/each-test.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";
import { clusterEnv } from "../../helpers/temporal/temporal-environment.js";
import { SECRET } from "../../helpers/webhooks/signed-webhook.js";

const temporal = sharedTemporal();
const sandbox = eachTest(startSandbox);
let folder: JobFolder;
let place: string;

beforeEach(async () => {
  sandbox.addLink({ fp_id: "u1", id: "link-of-u1", accounts: [{ id: "a" }] });
  place = `127.0.0.1:${await freePort()}`;
  folder = await openJobFolder(sandbox, { NIGHTLEDGER_METRICS: place, ...clusterEnv(temporal) });
});
afterEach(async () => {
  await folder.release();
});
afterAll(() => temporal.stop());

test("a worker counts what the documents name, with no id of a person or link in it, and refuses a port in use", async () => {
  const worker = folder.command(["worker"]);
  await worker.says(/working on task queue/);
  sandbox.addFault({ operation: "sync_transactions", kind: "status", status: 503, times: 1 });
  const { code, stderr } = await folder.sync().ended;
  expect(code, stderr).toBe(0);
  const lines = [
    "link_id,account_id,amount,date",
    "link-of-u1,a,1.50,2026-11-02",
    "link-of-u1,a,2.50,2026-11-02",
  ];
  await writeFile(join(folder.directory, "rows.csv"), `${lines.join("\n")}\n`);
  const imported = await folder.command(["import", "--transactions", "rows.csv"]).ended;
  expect(imported.code, imported.stderr).toBe(0);
  const text = await (await fetch(`http://${place}/metrics`)).text();
  expect(text).toMatch(/nightledger_rows_total\{[^}]*change="done"[^}]*kind="import"[^}]*\} 2/);
  expect(text).toMatch(
    /nightledger_calls_total\{[^}]*operation="sync_transactions"[^}]*status="503"[^}]*\} 1/,
  );
  expect(text).toMatch(
    /nightledger_calls_total\{[^}]*operation="sync_transactions"[^}]*status="200"[^}]*\} [1-9]/,
  );
  expect(text).toMatch(/nightledger_runs_total\{[^}]*kind="sync"[^}]*status="completed"[^}]*\} 1/);
  expect(text).not.toMatch(/u1/);
  expect(text).toMatch(/nightledger_answer_bytes_total\{[^}]*operation="sync_transactions"[^}]*\} [1-9]/);
  expect(text).toMatch(/^nightledger_open_rows(\{[^}]*\})? 0$/m);
  const second = await folder.command(["worker"]).ended;
  expect([second.code, second.stderr]).toEqual([
    2,
    expect.stringMatching(/can't be used \(EADDRINUSE\).*a port of its own in NIGHTLEDGER_METRICS/s),
  ]);
});

test("a receiver in a process of its own counts what it takes and refuses", async () => {
  const receiver = folder.command(["webhooks", "serve", "--port", "0"], {
    NIGHTLEDGER_WEBHOOK_SECRETS: SECRET,
  });
  const [, url = ""] = await receiver.says(/webhooks +(\S+), test mode/);
  expect(receiver.printed().stderr).toContain(`metrics   http://${place}/metrics`);
  expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401);
  const text = async () => (await fetch(`http://${place}/metrics`)).text();
  expect(await text()).toMatch(/nightledger_webhooks_total\{[^}]*result="headers"[^}]*\} 1/);
  sandbox.webhooks.register({ url, secrets: [SECRET] });
  sandbox.webhooks.emit({ event_kind: "service.user.bank_link_updated", fp_id: "u1" });
  await expect.poll(text).toMatch(/nightledger_webhooks_total\{[^}]*result="taken"[^}]*\} 1/);
  // No worker of this process ends the SDK's runtime, which would keep it going.
  expect(await receiver.end("SIGTERM")).toMatchObject({ code: 0 });
});
