import { afterAll, beforeAll, expect, test } from "vitest";
import type { Sandbox } from "../../../sandbox/index.js";
import { eachFile } from "../../helpers/each-test.js";
import { expectLakeEqualsTruth } from "../../helpers/lake/lake-truth.js";
import { type LinkStory, playNights, testStories } from "../../helpers/sync/link-stories.js";
import { addLink, addRows, removed, syncCalls, updated } from "../../helpers/sync/scripted-links.js";
import { openSyncWorld } from "../../helpers/sync/sync-harness.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const SYNCED = { status: "synced" };

/** The service has lost a link's log, and makes a new one of the rows that are there. */
function makeLogAgain(sandbox: Sandbox, link: string): void {
  const { rows } = sandbox.truth(link);
  sandbox.removeLink(link);
  sandbox.addLink({ fp_id: `fp_${link}`, id: link });
  const back = rows.map(({ text, transaction_id: id }) => ({ change: "created" as const, raw: text, id }));
  sandbox.append(link, back);
  sandbox.refuseCursors(link);
}

/** The service has only so many rows left, and refuses every cursor. */
const shrink = (rows: number) => (sandbox: Sandbox, link: string) => {
  sandbox.removeLink(link);
  sandbox.addLink({ fp_id: `fp_${link}`, id: link });
  addRows(sandbox, link, rows);
  sandbox.refuseCursors(link);
};

const STORIES: Readonly<Record<string, LinkStory>> = {
  "refused in the middle, the update begins again at its first cursor": {
    rows: 5,
    nights: [
      { row: SYNCED },
      {
        change: (sandbox, link) => addRows(sandbox, link, 35, 5),
        faults: [{ kind: "log_changed", page: 2, times: 1 }],
        row: ({ cursor_out }) => {
          return { ...SYNCED, pages: 4, restarts: 1, created: 35, cursor_in: cursor_out };
        },
        calls: (calls) => {
          const first = calls[0]?.cursor;
          expect(calls.map(({ cursor, status }) => [cursor === first, status])).toEqual([
            [true, 200],
            [false, 200],
            [false, 400],
            [true, 200],
            [false, 200],
            [false, 200],
            [false, 200],
          ]);
        },
      },
    ],
  },
  "a refused stored cursor: everything is read again, and removals are inferred": {
    rows: 12,
    nights: [
      { row: SYNCED },
      {
        change: (sandbox, link) => {
          const change = updated(`${link}-0005`, { amount: "99.99" });
          sandbox.append(link, [removed(`${link}-0003`), removed(`${link}-0004`), change]);
          addRows(sandbox, link, 1, 12);
          makeLogAgain(sandbox, link);
        },
        row: { ...SYNCED, generation: 2, cursor_in: null, created: 11, removed: 2 },
        calls: (calls) =>
          expect(
            calls.map(({ query, status }) => [query.cursor !== undefined, query.size, status]).slice(0, 3),
          ).toEqual([
            [true, "10", 400],
            [true, undefined, 400],
            [false, "10", 200],
          ]),
      },
    ],
  },
  "the old generation stays readable until the new one is published": {
    rows: 12,
    nights: [
      { row: SYNCED },
      {
        change: (sandbox, link) => sandbox.refuseCursors(link),
        faults: [{ kind: "wrong_body", body: "{}", cursor: false }],
        row: { status: "failed", generation: 1 },
      },
      { row: { ...SYNCED, generation: 2 } },
    ],
  },
  "more than half of the known rows go only with --full": {
    rows: 60,
    nights: [
      { row: SYNCED },
      {
        change: shrink(25),
        row: { status: "failed", reason: "resync_would_remove 35 of 60", created: 0 },
        fails: true,
      },
      { row: { ...SYNCED, created: 25, removed: 35, generation: 2 } },
    ],
  },
  "few rows are removed by a resync without --full": {
    rows: 21,
    nights: [{ row: SYNCED }, { change: shrink(1), row: { ...SYNCED, removed: 20 } }],
  },
  "half of the rows are removed by a resync without --full": {
    rows: 60,
    nights: [{ row: SYNCED }, { change: shrink(30), row: { ...SYNCED, removed: 30 } }],
  },
  "all rows are never removed by a resync without --full": {
    rows: 2,
    nights: [
      { row: SYNCED },
      { change: shrink(0), row: { reason: "resync_would_remove 2 of 2" }, fails: true },
      { row: { ...SYNCED, removed: 2 } },
    ],
  },
  full: {
    rows: 2,
    nights: [
      {
        change: (sandbox, link) =>
          sandbox.append(link, [updated("full-0001", { amount: "7.00" }), removed("full-0000")]),
        row: { ...SYNCED, generation: 1 },
      },
      {},
      {
        row: { generation: 2, created: 2, updated: 1, removed: 1 },
        calls: (calls) => expect(calls.map(({ cursor }) => cursor)).toEqual([undefined]),
      },
    ],
    // It keeps the change types that were delivered.
    feed: Array(2)
      .fill(["created full-0000", "created full-0001", "updated full-0001", "removed full-0000"])
      .flat(),
  },
  "a first page that is refused whatever is asked fails a link without a cursor": {
    rows: 5,
    nights: [
      {
        faults: [{ kind: "status", status: 422 }],
        row: { status: "failed", reason: "refused http_422" },
        calls: 2,
        fails: true,
      },
    ],
  },
  "401 for one link while the key is good fails it alone, at once; the next night reads it": {
    rows: 5,
    nights: [
      {
        faults: [{ kind: "status", status: 401 }],
        row: { status: "failed", reason: "refused http_401", certificate: null },
        calls: 1,
        fails: true,
      },
      { row: { ...SYNCED, created: 5 } },
    ],
  },
  "404 at the first page: the link is gone": {
    rows: 5,
    nights: [
      {
        faults: [{ kind: "link_gone" }],
        row: { status: "skipped", reason: "link_gone", certificate: null },
        calls: 1,
        fails: true,
      },
    ],
  },
  "404 in the middle: only one to a call without a cursor says that the link is gone": {
    rows: 25,
    nights: [
      {
        faults: [{ kind: "link_gone", after: 1 }],
        row: { status: "skipped", reason: "link_gone", certificate: null },
        calls: (calls) =>
          expect(calls.map(({ query, status }) => ["cursor" in query, status])).toEqual([
            [false, 200],
            [true, 404],
            [false, 404],
          ]),
        fails: true,
      },
    ],
  },
};

const temporal = sharedTemporal();
const world = eachFile(() => openSyncWorld(temporal, { api: { concurrency: 1 } }));
let nights: Awaited<ReturnType<typeof playNights>>;
beforeAll(async () => {
  nights = await playNights(world, STORIES, [
    { pageSize: 10 },
    { pageSize: 10 },
    { pageSize: 500, full: true },
  ]);
});
afterAll(async () => {
  await temporal.stop();
});

testStories(STORIES, () => ({ world, nights }));

test("a run says how many links were refused, skipped and begun again", () => {
  const [first, second, third] = nights.map(({ result }) => result);
  expect(first).toMatchObject({ status: "completed_with_failures", links: { failed: 2, skipped: 2 } });
  expect(second).toMatchObject({ status: "completed_with_failures", restarts: 1, links: { failed: 3 } });
  expect(third).toMatchObject({ status: "completed", links: { failed: 0, skipped: 0 } });
});

test.each([
  ["a refused size falls back to 100, which is remembered for the run", 100, ["100", "100", "100"]],
  ["a link of which every size is refused is asked without one", 0, ["100", undefined, undefined]],
])("%s", async (title, above, sizes) => {
  addLink(world, title, above === 0 ? 150 : 250, `fp_${title}`);
  world.sandbox.addFault({ kind: "size_refused", link: title, above });
  await world.sync({ users: [`fp_${title}`] });
  expect(syncCalls(world, title).map(({ query }) => query.size)).toEqual(["500", ...sizes]);
  expect(syncCalls(world, title).filter(({ status }) => status !== 200)).toHaveLength(above === 0 ? 2 : 1);
  await expectLakeEqualsTruth(world, [title]);
});
