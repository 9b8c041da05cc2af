import { expect, test } from "vitest";
import { creationOf } from "../../../src/lake/delta/delta-schema.js";
import { openLake } from "../../../src/lake/lake.js";
import { checkpointDomain } from "../../../src/lake/sync/link-checkpoint.js";
import { linksOfRun, staleLinks } from "../../../src/lake/sync/unread-links.js";
import { linkSyncs } from "../../../src/lake/tables/link-syncs.js";
import { transactionChanges } from "../../../src/lake/tables/transactions.js";
import { eachTest } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";
import { appendRows } from "../../helpers/query/append-rows.js";

const DAY = 86_400_000;
const now = Date.now();
const ago = (days: number) => new Date(now - days * DAY).toISOString();

const base = eachTest(openTestLake);
const lake = eachTest(() => openLake({ directory: base.directory }));

/** Rows as `<link> <status> <days ago> [reason]`, of the run `run-<days ago>`. */
async function linkSyncsOf(...texts: readonly string[]): Promise<void> {
  const rows = texts.map((text) => {
    const [, link_id, status, days, reason] = /^(\S+) (\S+) (\S+)(?: (.*))?$/.exec(text) ?? [];
    const at = ago(Number(days));
    return { run_id: `run-${days}`, link_id, fp_id: "fp", status, reason, started_at: at, finished_at: at };
  });
  await appendRows(lake, linkSyncs, rows);
}

/** Checkpoints as `<link> <days since its last commit> <user>`. */
async function checkpoints(...texts: readonly string[]): Promise<void> {
  await lake.table("transaction_changes").commit(() => [
    ...creationOf(transactionChanges, 0),
    ...texts.map((text) => {
      const [link = "", days, fp_id] = text.split(" ");
      const configuration = JSON.stringify({ link_id: link, fp_id, finished_at: ago(Number(days)) });
      return { domainMetadata: { domain: checkpointDomain(link), configuration, removed: false } };
    }),
  ]);
}

const stale = (only: readonly string[] | null = null) =>
  staleLinks(lake, {
    runId: "run-0",
    startedAt: now,
    users: new Set(["fp"]),
    only,
    since: now - 3 * DAY,
  });

test("a link is stale when no run has read it to its end for so long", async () => {
  await linkSyncsOf(
    ...[
      "fresh synced 0",
      "still unchanged 2",
      "still failed 0 cursor_loop",
      "old synced 9",
      "old failed 0 timeout",
    ],
    ...["expired skipped 0 state error auth_expired", "raced skipped 0 superseded"],
    ...["gone skipped 0 state deleted", "vanished skipped 0 link_gone", "ahead synced -99"],
  );
  await checkpoints(
    ...["fresh 0 fp", "still 8 fp", "old 9 fp", "expired 5 fp", "raced 4 fp", "gone 7 fp", "vanished 7 fp"],
    ...["unlisted 6 fp", "other 6 other-user", "recent 1 fp", "ahead -99 fp"],
  );
  expect(await stale()).toEqual(["ahead", "expired", "old", "raced", "unlisted"]);
  expect(await stale(["old", "fresh"])).toEqual(["old"]);
});

test("a link that was never read is stale when a run met it so long ago", async () => {
  await linkSyncsOf(
    ...["new not_ready 0 no history yet", "waiting not_ready 5 no history yet"],
    ...["waiting not_ready 0 no history yet", "dropped failed 5 timeout"],
  );
  expect(await stale()).toEqual(["waiting"]);
});

test("a lake without a run has no stale link, and skipped ones are those of the run", async () => {
  expect(await stale()).toEqual([]);
  await linkSyncsOf(
    "b skipped 0 state deleted",
    "a skipped 0 link_gone",
    "c synced 0",
    "d skipped 1 link_gone",
  );
  expect(await linksOfRun(lake, { runId: "run-0", startedAt: now }, "status = 'skipped'")).toEqual([
    "a",
    "b",
  ]);
});
