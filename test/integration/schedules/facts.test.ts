import { Client } from "@temporalio/client";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/domain/duration.js";
import { scheduleId } from "../../../src/domain/schedules/scheduled-run.js";
import type { ScheduleTiming } from "../../../src/domain/schedules/timing.js";
import type { ScheduledJob } from "../../../src/intake/schedules/scheduled-job.js";
import { putSchedule, scheduleFacts } from "../../../src/intake/schedules/schedules.js";
import { connectWorker } from "../../../src/temporal/connection.js";
import { dataConverter } from "../../../src/temporal/encryption/payload-codec.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";
import { TEST_KEYS } from "../../helpers/temporal/temporal-environment.js";

const temporal = sharedTemporal();
afterAll(() => temporal.stop());

const SCOPE = "facts-of-schedules";
const SYNC: ScheduledJob = {
  kind: "sync",
  roster: "/users.csv",
  options: { streams: [], links: null, full: false, pageSize: 500 },
};
const NIGHTLY: ScheduleTiming = {
  kind: "at",
  times: [{ hour: 2, minute: 15 }],
  timezone: "UTC",
  jitterMs: 0,
};
let client: Client;
beforeEach(async () => {
  ({ client } = await temporal.client());
});
afterEach(async () => {
  for (const name of ["nightly", "watch", "paused"]) {
    await client.schedule
      .getHandle(scheduleId(SCOPE, name))
      .delete()
      .catch(() => undefined);
  }
});

async function put(name: string, job: ScheduledJob, paused = false): Promise<void> {
  const input = { schedule: name, scope: SCOPE, runKind: job.kind, job, command: [], timing: NIGHTLY };
  const asked = { scheduleId: scheduleId(SCOPE, name), timing: NIGHTLY, workflowType: "fireSchedule" };
  await putSchedule(client, { ...asked, taskQueue: `nightledger-${SCOPE}`, input, paused });
}

test("a schedule is known by its newest due time, over a command's connection and a worker's alike", async () => {
  await put("nightly", SYNC);
  await put("watch", { kind: "alerts", options: {} });
  await put("paused", SYNC, true);
  const native = await connectWorker(temporal);
  try {
    const { namespace } = temporal;
    const ofWorker = new Client({
      connection: native,
      namespace,
      dataConverter: dataConverter(TEST_KEYS, namespace),
    });
    for (const one of [client, ofWorker]) {
      const facts = (ahead: number) => scheduleFacts(one, SCOPE, Date.now() + ahead);
      expect(await facts(0)).toEqual([{ name: "nightly", jitterMs: 0, dueAt: null, firings: [] }]);
      const [later] = await facts(3 * DAY);
      const due = later?.dueAt ?? 0;
      expect(new Date(due).toISOString()).toMatch(/T02:15:00\.000Z$/);
      expect(Date.now() + 3 * DAY - 10 * MINUTE - due).toBeLessThan(DAY);
      // Less than a minute after it was due it may still begin: the one before counts.
      const [sooner] = await scheduleFacts(one, SCOPE, due + MINUTE);
      expect(sooner?.dueAt).toBe(due - DAY);
      expect((await scheduleFacts(one, SCOPE, due + HOUR))[0]?.dueAt).toBe(due);
    }
  } finally {
    await native.close();
  }
});
