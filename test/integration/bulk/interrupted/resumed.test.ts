import { afterEach, expect, test } from "vitest";
import { HOUR } from "../../../../src/domain/duration.js";
import { openClaim } from "../../../../src/intake/bulk/start.js";
import type { StartedRun } from "../../../../src/intake/start-or-join.js";
import { importJob } from "../../../../src/jobs/import.js";
import { EffectClaims } from "../../../../src/lake/bulk/effect-claims.js";
import { notePulse } from "../../../../src/lake/bulk/run-pulse.js";
import type { BulkResult } from "../../../../src/workflows/bulk/bulk-job.js";
import { type BulkWorld, openBulkWorld } from "../../../helpers/bulk/bulk-harness.js";
import { sharedTemporal } from "../../../helpers/temporal/shared-temporal.js";

let world: BulkWorld;
afterEach(() => world.close());

/** Begins a run that has worked an hour ago, as one does that comes from a snapshot, and of which nothing else is left. */
async function restored(rows: readonly object[], options: Readonly<Record<string, string | number>>) {
  await world.stopWorker();
  const started = await world.begin(rows, options);
  const staging = started.handle.workflowId.split("/").at(-1);
  const pulse = { at: Date.now() - HOUR, resumedAt: 0 };
  await world.sealed.put(`_staging/${staging}/pulse/${started.runId}`, pulse);
  return started;
}
const resultOf = async ({ handle }: StartedRun) => (await handle.result()) as BulkResult;

test("rows that an import sent after the snapshot are found in their link, and only the others are sent", async () => {
  world = await openBulkWorld(sharedTemporal(), importJob, { direct: true });
  const { sandbox } = world;
  sandbox.addLink({ fp_id: "u", id: "l1", accounts: [{ id: "a1" }] });
  const rows = Array.from({ length: 40 }, (_, at) => ({
    ...{ account_id: "a1", amount: `${at}.50`, date: "2026-11-02", transaction_id: `own-${at}` },
  }));
  const started = await restored(
    rows.map((row) => ({ link_id: "l1", ...row })),
    { chunk: 10 },
  );
  const sent = await fetch(`${sandbox.url}/bank_links/l1/import/transactions`, {
    method: "POST",
    headers: {
      authorization: `Basic ${Buffer.from(`${sandbox.apiKey}:`).toString("base64")}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ transactions: rows.slice(0, 25) }),
  });
  expect(sent.status).toBe(200);
  await world.startWorker();
  expect(await resultOf(started)).toMatchObject({ status: "completed", rows: { done: 40, failed: 0 } });
  expect(sandbox.truth("l1").rows).toHaveLength(40);
  expect(sandbox.requests({ operation: "import_transactions" })).toHaveLength(3);
});

test("--restart is refused while another machine works on the run, and not once that is dead", async () => {
  world = await openBulkWorld(sharedTemporal(), importJob, { direct: true });
  const { client, sealed } = world;
  const rows = [{ link_id: "l1", account_id: "a1", amount: "1", date: "2026-11-02" }];
  const { handle, runId } = await restored(rows, { chunk: 10 });
  const staging = String(handle.workflowId.split("/").at(-1));
  const elsewhere = { runId, staging, workflowId: handle.workflowId, namespaceId: "another" };
  await new EffectClaims(sealed, "import").take(elsewhere, async () => undefined);
  const claim = await openClaim(client, sealed, "import", { ...elsewhere, runId: "import-2", restart: true });
  await claim.assertFree();
  await notePulse(sealed, { staging, runId }, "begins");
  await expect(claim.assertFree()).rejects.toThrow(
    /worked .* ago, so something still runs it.*Nothing was started/,
  );
});
