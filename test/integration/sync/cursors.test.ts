import { afterAll, beforeAll, expect, test } from "vitest";
import { eachFile } from "../../helpers/each-test.js";
import { rowsOfFiles } from "../../helpers/lake/file-rows.js";
import { type LinkStory, playNights, testStories } from "../../helpers/sync/link-stories.js";
import { addRows, created, removed, updated, versionsOf } from "../../helpers/sync/scripted-links.js";
import { openSyncWorld } from "../../helpers/sync/sync-harness.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const SYNCED = { status: "synced" };
const UNCHANGED = { status: "unchanged", created: 0 };
const NOT_READY = { status: "not_ready", certificate: null };
const LOOP = { status: "failed", reason: "cursor_loop", certificate: null };

/** Whatever `next` says of a history that is not ready, nothing is written, and it is tried again at the run's end. */
const notReady = (next: "missing" | "empty" | "null"): LinkStory => ({
  rows: 5,
  nights: [
    {
      faults: [{ kind: "not_ready", next, times: 2 }],
      row: NOT_READY,
      calls: (calls) => expect(calls.map(({ query }) => query)).toEqual([{ size: "10" }, { size: "10" }]),
      fails: true,
    },
    { row: { ...SYNCED, cursor_in: null, created: 5 } },
  ],
});

/** `has_more` with a `next` that leads nowhere never spins and never succeeds. */
const loop = (next: "missing" | "same" | "empty" | "null"): LinkStory => ({
  rows: 25,
  nights: [
    { faults: [{ kind: "loop", next, cursor: true }], row: LOOP, calls: 2, fails: true },
    { row: { ...SYNCED, cursor_in: null, created: 25 } },
  ],
});

const STORIES: Readonly<Record<string, LinkStory>> = {
  "a link without a cursor is asked without the parameter": {
    rows: 25,
    user: "fp_of_two",
    nights: [
      {
        row: { ...SYNCED, pages: 3, created: 25 },
        calls: (calls) =>
          expect(calls.map(({ query }) => Object.keys(query).sort())).toEqual([
            ["size"],
            ["cursor", "size"],
            ["cursor", "size"],
          ]),
      },
      { row: UNCHANGED, calls: 1 },
    ],
  },
  "no next at the end keeps the previous cursor": {
    rows: 5,
    user: "fp_of_two",
    nights: [
      { row: SYNCED },
      {
        faults: [{ kind: "no_cursor", next: "missing" }],
        row: ({ cursor_out }) => ({ ...UNCHANGED, cursor_out }),
        calls: 1,
      },
    ],
  },
  "a first history that is not ready, next missing": notReady("missing"),
  "a first history that is not ready, next empty": notReady("empty"),
  "a first history that is not ready, next null": notReady("null"),
  "the second try of a run reads a history that has become ready": {
    rows: 5,
    nights: [{ faults: [{ kind: "not_ready", times: 1 }], row: { ...SYNCED, created: 5 }, calls: 2 }],
  },
  "an empty next never overwrites a good cursor": {
    rows: 5,
    nights: [
      { row: SYNCED },
      {
        faults: [{ kind: "not_ready", next: "empty", times: 1 }],
        row: ({ cursor_out }) => ({ ...UNCHANGED, cursor_in: cursor_out, cursor_out }),
      },
      { change: (sandbox, link) => addRows(sandbox, link, 2, 5), row: { ...SYNCED, created: 2 } },
    ],
  },
  "has_more and next missing is a loop": loop("missing"),
  "has_more and the same next is a loop": loop("same"),
  "has_more and next empty is a loop": loop("empty"),
  "has_more and next null is a loop": loop("null"),
  "an update of many pages ends only with has_more false": {
    rows: 300,
    nights: [{ row: { ...SYNCED, pages: 30, created: 300 }, calls: 30 }],
  },
  "has_more with empty lists continues": {
    rows: 5,
    nights: [{ faults: [{ kind: "empty_page", times: 3 }], row: { ...SYNCED, pages: 4, created: 5 } }],
  },
  "where only the cursor moved the new one is committed, without a row": {
    rows: 5,
    nights: [
      { row: SYNCED },
      {
        faults: [{ kind: "empty_page", cursor: true, times: 1 }],
        row: ({ cursor_out }) => ({ ...UNCHANGED, cursor_in: cursor_out }),
      },
    ],
  },
  "a page that is replayed adds nothing": {
    rows: 25,
    nights: [{ faults: [{ kind: "page_replayed", times: 2 }], row: { ...SYNCED, created: 25, pages: 5 } }],
  },
  "the last page on a cursor that does not move adds nothing when it comes again": {
    rows: 5,
    nights: [
      { row: SYNCED },
      {
        change: (sandbox, link) => addRows(sandbox, link, 2, 5),
        faults: [{ kind: "no_cursor", next: "same" }],
        row: { ...SYNCED, created: 2 },
      },
      { faults: [{ kind: "no_cursor", next: "same" }], row: UNCHANGED },
    ],
  },
  "rows but never a next are committed, and the next run reads everything again": {
    rows: 5,
    nights: [
      { faults: [{ kind: "no_cursor", times: 1 }], row: { ...SYNCED, cursor_out: null } },
      {
        change: (sandbox, link) => sandbox.append(link, [removed(`${link}-0001`)]),
        row: { ...SYNCED, generation: 2, cursor_in: null, cursor_out: expect.any(String) },
      },
    ],
  },
  "a full resync that ends without a next is not published": {
    rows: 5,
    nights: [
      { row: SYNCED },
      {
        change: (sandbox, link) => sandbox.refuseCursors(link),
        faults: [{ kind: "no_cursor", times: 1 }],
        row: ({ cursor_out }) => ({ status: "failed", reason: "resync_without_cursor", cursor_out }),
      },
      { row: { ...SYNCED, generation: 2 } },
    ],
  },
  "pending removed on one page and posted created on the next": {
    nights: [
      { change: (sandbox, link) => sandbox.append(link, [created("P", { pending: true })]) },
      {
        change: (sandbox, link) => {
          const others = Array.from({ length: 9 }, (_, n) =>
            updated("P", { pending: true, amount: `${n}.00` }),
          );
          sandbox.append(link, [...others, removed("P"), created("Q")]);
        },
        row: { pages: 2, created: 1, removed: 1 },
      },
    ],
    live: ["Q"],
  },
  "an id kept from pending to posted is updated in place": {
    nights: [
      { change: (sandbox, link) => sandbox.append(link, [created("T", { pending: true, amount: "10.00" })]) },
      {
        change: (sandbox, link) => sandbox.append(link, [updated("T", { pending: false, amount: "11.50" })]),
      },
    ],
    feed: ["created T", "updated T"],
    live: ["T"],
  },
  "page order wins among created, updated and removed": {
    nights: [
      {
        change: (sandbox, link) =>
          sandbox.append(link, [
            created("one"),
            updated("one", { description: "second" }),
            created("two"),
            removed("two"),
            created("three"),
            removed("three"),
            created("three", { description: "again" }),
          ]),
      },
    ],
    feed: [
      "created one",
      "created two",
      "created three",
      "updated one",
      "removed two",
      "removed three",
      "created three",
    ],
    live: ["one", "three"],
  },
  "two identical payments with different ids are both kept": {
    nights: [{ change: (sandbox, link) => sandbox.append(link, [created("x"), created("y")]) }],
    live: ["x", "y"],
  },
};

const temporal = sharedTemporal();
const world = eachFile(() => openSyncWorld(temporal));
let nights: Awaited<ReturnType<typeof playNights>>;
beforeAll(async () => {
  nights = await playNights(world, STORIES, Array(3).fill({ pageSize: 10 }));
});
afterAll(async () => {
  await temporal.stop();
});

testStories(STORIES, () => ({ world, nights }));

test("a run that has links without a usable answer says so of each, and of no other", () => {
  const links = Object.keys(STORIES).length;
  const loops = Object.keys(STORIES).filter((link) => STORIES[link]?.nights[0]?.row === LOOP);
  const [first, second, third] = nights.map(({ result }) => result);
  expect(first).toMatchObject({ status: "completed_with_failures" });
  expect(first?.links).toMatchObject({
    not_ready: 3,
    failed: loops.length,
    synced: links - 3 - loops.length,
  });
  expect(first?.failures.map(({ stream, owner, reason }) => `${stream} ${owner} ${reason}`).sort()).toEqual(
    loops.map((link) => `transactions ${link} cursor_loop`).sort(),
  );
  expect(second?.links).toMatchObject({ not_ready: 0, failed: 1 });
  expect(third).toMatchObject({ status: "completed", links: { failed: 0, synced: 2 } });
});

test("a night costs one call for each link without news, and two for each user", () => {
  const last = nights[2];
  const users = Object.keys(STORIES).length - 1;
  const restarted = "a full resync that ends without a next is not published";
  for (const [link, calls] of last?.calls ?? []) if (link !== restarted) expect(calls, link).toHaveLength(1);
  const asked = [...(last?.calls.values() ?? [])].flat().length;
  expect(last?.operations).toEqual({
    list_bank_links: users,
    list_user_accounts: users,
    sync_transactions: asked,
  });
  expect(last?.result.calls).toBe(asked + 2 * users);
});

test("every version of transactions has either the pending or the posted row", async () => {
  const versions: number[] = [];
  for (const files of await versionsOf(world, "transactions")) {
    const rows = `select 1 from read_parquet([${files}]) where transaction_id in ('P', 'Q')`;
    versions.push((await rowsOfFiles(rows)).length);
  }
  expect(versions.slice(versions.indexOf(1)).every((rows) => rows === 1)).toBe(true);
  expect(versions).toContain(1);
});
