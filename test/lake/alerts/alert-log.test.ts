import { afterEach, beforeEach, expect, test } from "vitest";
import type { AlertTarget } from "../../../src/domain/alert-settings.js";
import { type AlertEvent, type Cause, transitions } from "../../../src/domain/alerts/transitions.js";
import {
  openAlerts,
  pendingMessages,
  recordDelivery,
  writeAlerts,
} from "../../../src/lake/alerts/alert-log.js";
import { type Lake, openLake } from "../../../src/lake/lake.js";
import { readTables } from "../../../src/lake/query/query-views.js";
import { alerts } from "../../../src/lake/tables/alerts.js";
import { openTestLake, type TestLake } from "../../helpers/lake/delta-lake.js";

let base: TestLake;
let lake: Lake;
beforeEach(async () => {
  base = await openTestLake();
  lake = openLake({ directory: base.directory });
});
afterEach(async () => {
  await lake.close();
  await base.release();
});

const CAUSE: Cause = {
  rule: "failed-links",
  subject: "links",
  message: "2 fail",
  action: "retry",
  runId: "sync-1",
};
const OTHER: Cause = { ...CAUSE, rule: "open-quarantine", subject: "quarantine", runId: null };
const BOTH: readonly AlertTarget[] = ["webhook", "command"];
const decide = (causes: readonly Cause[]) => (open: readonly AlertEvent[]) =>
  transitions(open, causes, ["failed-links", "open-quarantine"]);
const check = (causes: readonly Cause[], at = lake, targets = BOTH) =>
  writeAlerts(at, decide(causes), targets);
const rows = (sql: string) => readTables(lake, [alerts], (session) => session.rows(sql));
const states = () =>
  rows("select rule, state from alerts where delivery is null order by recorded_at, state desc, rule");

test("a cause has one alert for as long as it lasts, one end, and another alert when it comes again", async () => {
  const first = await check([CAUSE]);
  expect(first.raised).toMatchObject([{ rule: "failed-links", message: "2 fail", runId: "sync-1" }]);
  expect(await check([{ ...CAUSE, message: "3 fail" }])).toEqual({ raised: [], cleared: [] });
  expect(await openAlerts(lake)).toMatchObject([{ message: "2 fail", action: "retry", runId: "sync-1" }]);
  expect((await check([])).cleared).toMatchObject([
    { alertId: first.raised[0]?.alertId, message: "no more bank links fail than allowed" },
  ]);
  expect(await openAlerts(lake)).toEqual([]);
  const again = await check([CAUSE]);
  expect(again.raised[0]?.alertId).not.toBe(first.raised[0]?.alertId);
});

test("of checks at the same time, in any number of processes, one raises an alert and one ends it", async () => {
  const others = Array.from({ length: 3 }, () => openLake({ directory: base.directory }));
  try {
    const raised = await Promise.all([lake, lake, ...others].map((at) => check([CAUSE, OTHER], at)));
    expect(raised.flatMap((one) => one.raised)).toHaveLength(2);
    const cleared = await Promise.all([lake, lake, ...others].map((at) => check([OTHER], at)));
    expect(cleared.flatMap((one) => one.cleared)).toHaveLength(1);
  } finally {
    for (const other of others) await other.close();
  }
  expect(await states()).toEqual([
    { rule: "failed-links", state: "raised" },
    { rule: "open-quarantine", state: "raised" },
    { rule: "failed-links", state: "cleared" },
  ]);
});

test("a message is pending for each target until it is written down what became of it, once", async () => {
  const { raised } = await check([CAUSE]);
  const alertId = raised[0]?.alertId ?? "";
  await check([]);
  const [command, webhook, overCommand, overWebhook] = await pendingMessages(lake);
  expect([command, webhook, overCommand, overWebhook]).toEqual([
    { alertId, state: "raised", target: "command" },
    { alertId, state: "raised", target: "webhook" },
    { alertId, state: "cleared", target: "command" },
    { alertId, state: "cleared", target: "webhook" },
  ]);
  await Promise.all(
    [1, 2].map(() => recordDelivery(lake, { alertId, state: "raised", target: "webhook" }, null)),
  );
  await recordDelivery(lake, { alertId, state: "raised", target: "command" }, "ended with 3");
  expect(await pendingMessages(lake)).toEqual([overCommand, overWebhook]);
  expect(
    await rows(
      "select state, delivery, target, message from alerts where delivery is not null order by target",
    ),
  ).toEqual([
    { state: "raised", delivery: "undelivered", target: "command", message: "ended with 3" },
    { state: "raised", delivery: "delivered", target: "webhook", message: null },
  ]);
  expect(await openAlerts(lake)).toEqual([]);
});

test("where nobody is told, nothing is pending", async () => {
  await check([CAUSE], lake, []);
  expect(await pendingMessages(lake)).toEqual([]);
});

test("many alerts leave few files", async () => {
  for (let night = 0; night < 17; night += 1) {
    await check([CAUSE]);
    await check([]);
  }
  expect((await lake.table("alerts").snapshot()).files.size).toBeLessThan(20);
  expect(await states()).toHaveLength(34);
});
