import { expect, test } from "vitest";
import { creationOf } from "../../../src/lake/delta/delta-schema.js";
import { openLake } from "../../../src/lake/lake.js";
import { compactMany } from "../../../src/lake/tables/compact.js";
import { addOf, writeRows } from "../../../src/lake/tables/parquet-file.js";
import { webhookEvents } from "../../../src/lake/tables/webhook-events.js";
import { knownMessages } from "../../../src/lake/webhooks/known-messages.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);

const temp = eachTest(tempDirectory);
const lake = eachTest(() => openLake({ directory: temp.path }));

test("over a month of traffic repeats are found, and a commit meets no more files at its end than at its start", async () => {
  const table = lake.table(webhookEvents.name);
  const files: number[] = [];
  for (let day = 0; day < 30; day += 1) {
    for (let part = 0; part < 8; part += 1) {
      const rows = Array.from({ length: 20 }, (_, n) => ({
        message_id: `msg_${day}_${part}_${n}`,
        received_at: new Date(START + day * DAY + part * 3 * 3_600_000 + n * 1_000).toISOString(),
      }));
      const [file] = await writeRows(lake, webhookEvents, "events", rows);
      if (file === undefined) throw new Error("no rows");
      await table.commit(({ version }) => [
        ...(version === -1 ? creationOf(webhookEvents, 0) : []),
        { add: addOf(file) },
      ]);
      await compactMany(lake, webhookEvents, ["received_at", "message_id"]);
    }
    files.push((await table.snapshot()).files.size);
  }
  expect(Math.max(...files)).toBeLessThanOrEqual(32);
  const now = START + 30 * DAY;
  const asked = [
    { messageId: "msg_29_7_3", at: START + 29 * DAY },
    { messageId: "msg_0_0_0", at: START },
    { messageId: "msg_new", at: now },
  ];
  expect([...(await knownMessages(lake, asked, now))].sort()).toEqual(["msg_0_0_0", "msg_29_7_3"]);
});
