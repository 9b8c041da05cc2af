import { beforeEach, expect, test } from "vitest";
import { transactionRow } from "../../../../sandbox/index.js";
import type { SyncDependencies } from "../../../../src/activities/sync/dependencies.js";
import type { LinkRecord } from "../../../../src/domain/sync/link.js";
import type { Place } from "../../../../src/domain/sync/place.js";
import { creationOf } from "../../../../src/lake/delta/delta-schema.js";
import type { ObjectStore } from "../../../../src/lake/store/object-store.js";
import { journalKey, readRecord, readValue } from "../../../../src/lake/sync/journal/journal.js";
import { checkpointDomain } from "../../../../src/lake/sync/link-checkpoint.js";
import { transactionChanges } from "../../../../src/lake/tables/transactions.js";
import { eachTest } from "../../../helpers/each-test.js";
import { withFaults } from "../../../helpers/kill/fault-store.js";
import { forgetful } from "../../../helpers/kill/forgetful-store.js";
import { only } from "../../../helpers/sync/slice-results.js";
import { rawRow } from "../../../helpers/sync/sync-harness.js";
import { openActivityBench, type ReadSlice } from "../../../helpers/temporal/activity-bench.js";

const USERS = ["fp_1", "fp_2"];
const bench = eachTest(openActivityBench);
beforeEach(async () => {
  for (const fp_id of USERS) {
    for (const n of [1, 2]) {
      const id = `${fp_id}-${n}`;
      bench.sandbox.addLink({ fp_id, id });
      bench.sandbox.append(id, rows(id, n * 12));
    }
  }
  bench.sandbox.append("fp_1-1", [{ change: "created", raw: rawRow(""), id: "bad" }]);
  bench.sandbox.addLink({ fp_id: "fp_2", id: "gone", fields: { state: "deleted" } });
  await bench.freeze(USERS.map((fp_id) => ({ fp_id })));
});

const rows = (id: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => ({
    change: "created" as const,
    row: transactionRow({ transaction_id: `${id}-${from + n}` }),
  }));
const recordOf = (place: Place) => readValue<LinkRecord>(bench.deps.lake.store, "run", place);

/** What a report says, without places, in an order of its own, with bodies instead of the places that name them. */
async function contentsOf({ parsed }: ReadSlice) {
  const bodyOf = async (place: Place) =>
    (await readRecord(bench.deps.lake.store, "run", place))?.body.toString() ?? "lost";
  const finished: string[] = [];
  for (const { link, progress } of parsed.finished) {
    const { staged, lastPage: _, ...rest } = progress;
    const { started_at: __, ...record } = await recordOf(link);
    finished.push(JSON.stringify([record, rest, await Promise.all(staged.map(bodyOf))]));
  }
  const observed: string[] = [];
  for (const { place, cleaned, ...page } of parsed.observed) {
    observed.push(JSON.stringify([page, await bodyOf(place), cleaned && (await bodyOf(cleaned.clean))]));
  }
  const ended = parsed.ended.map(({ record: { started_at: _, ...record }, ...link }) =>
    JSON.stringify([record, link]),
  );
  return { finished: finished.sort(), observed: observed.sort(), ended: ended.sort() };
}

/** The bench's parts over a store whose n-th append fails, before or after the record is there. */
function failingAt(nth: number, when: "before" | "after"): SyncDependencies {
  const { lake } = bench.deps;
  const fault = { on: "append", key: "/journals/", when, effect: "lost", nth } as const;
  return { ...bench.deps, lake: { ...lake, store: withFaults(lake.store, [fault]) } };
}

test.for(["before", "after"] as const)(
  "killed %s any record: the next attempt requests only what was in flight again, and ends as if undisturbed",
  async (when) => {
    const undisturbed = await bench.read({ slice: 1_000 });
    const wanted = await contentsOf(undisturbed);
    const calls = bench.sandbox.calls().total;
    expect(wanted.finished).toHaveLength(4);
    expect(undisturbed.calls).toBe(calls);
    let killed = 0;
    for (let nth = 1; ; nth += 1) {
      bench.sandbox.clearRequests();
      const first = await bench.read({ slice: nth, deps: failingAt(nth, when) }).then(
        () => "whole",
        () => "killed",
      );
      if (first === "whole") break;
      killed += 1;
      const again = await bench.read({ slice: nth, attempt: 2 });
      expect([nth, await contentsOf(again)]).toEqual([nth, wanted]);
      expect(again).toMatchObject({ usersRead: 2, users: [], links: [], reached: 2, calls });
      // Of all the calls in flight only one answer could not be staged.
      expect([nth, bench.sandbox.calls().total - calls]).toEqual([nth, expect.toSatisfy((n) => n <= 1)]);
    }
    expect(killed).toBeGreaterThan(15);
  },
);

/** What another run has committed of a link. */
function domainOf(link: string, cursor: string | null = null) {
  const fp_id = link.split("-", 1)[0];
  const state = { fp_id, cursor, generation: 1, next_sequence: 5, head: "other", last_page_sha256: null };
  const configuration = JSON.stringify({ ...state, sign_conflicts: 0 });
  return { domainMetadata: { domain: checkpointDomain(link), configuration, removed: false } };
}

test("a lost attempt's page that answered another cursor, or another head, is not used", async () => {
  const failing = failingAt(12, "after");
  await expect(bench.read({ deps: failing })).rejects.toThrow("was lost");
  const staged = bench.sandbox.requests({ operation: "sync_transactions" });
  expect(staged.length).toBeGreaterThan(0);
  // Another run has committed the links meanwhile.
  await bench.deps.lake
    .table("transaction_changes")
    .commit(() => [
      ...creationOf(transactionChanges, 0),
      ...USERS.flatMap((user) => [1, 2].map((n) => domainOf(`${user}-${n}`))),
    ]);
  bench.sandbox.clearRequests();
  const again = await bench.read({ attempt: 2 });
  const wholeRead = 2 + 2 + 3 + 3;
  expect(bench.sandbox.requests({ operation: "sync_transactions" })).toHaveLength(wholeRead);
  for (const { link } of again.parsed.finished) expect((await recordOf(link)).base?.head).toBe("other");
});

test("a stalled attempt that wakes up changes nothing of what the next one names", async () => {
  const [slow, next] = await Promise.all([bench.read(), bench.read({ attempt: 2 })]);
  const wanted = await contentsOf(next);
  expect(await contentsOf(slow)).toEqual(wanted);
  await bench.read();
  expect(await contentsOf(next)).toEqual(wanted);
});

test("a user whose accounts failed keeps the list of links that is staged for the next slice", async () => {
  bench.sandbox.addFault({ kind: "status", status: 503, operation: "list_user_accounts", times: 1 });
  const first = await bench.read({ fresh: { from: 0, to: 1 } });
  const { progress } = only(first.users);
  expect([first.usersRead, first.parsed.finished, progress.streak?.count]).toEqual([0, [], 1]);
  expect(progress.staged).toHaveLength(1);
  const second = await bench.read({ slice: 1, users: [progress], fresh: null });
  expect(second).toMatchObject({ usersRead: 1, users: [] });
  expect(second.report?.slices).toContain(0);
  expect(bench.sandbox.requests({ operation: "list_bank_links" })).toHaveLength(1);
  expect(second.parsed.observed.map(({ stream }) => stream).sort()).toEqual(["accounts", "bank_links"]);
  expect(second.parsed.finished).toHaveLength(2);
});

test("a link with nothing new is quiet and costs the result nothing; one with new rows is finished", async () => {
  const first = await bench.read();
  const domains: ReturnType<typeof domainOf>[] = [];
  for (const { link, progress } of first.parsed.finished) {
    domains.push(domainOf((await recordOf(link)).link_id, progress.lastNext));
  }
  await bench.deps.lake
    .table("transaction_changes")
    .commit(() => [...creationOf(transactionChanges, 0), ...domains]);
  bench.sandbox.append("fp_2-2", rows("fp_2-2", 1, 900));
  const second = await bench.read({ slice: 1 });
  expect(second).toMatchObject({ links: [], report: { ended: 4, finished: { links: 1, entries: 1 } } });
  const unchanged = second.parsed.ended.filter(({ stage }) => stage.status === "unchanged");
  const unread = second.parsed.ended.filter(({ stage }) => stage.status !== "unchanged");
  expect(only(unread)).toMatchObject({
    record: { link_id: "gone" },
    stage: { status: "skipped", reason: "state deleted" },
  });
  expect(unchanged.map(({ record }) => record.link_id).sort()).toEqual(["fp_1-1", "fp_1-2", "fp_2-1"]);
  expect(unchanged[0]).toMatchObject({
    record: { base: { head: "other" } },
    ...{ stage: { reason: null }, progress: { pages: 1 } },
  });
  expect((await recordOf(only(second.parsed.finished).link)).link_id).toBe("fp_2-2");
});

test("pages of users that a lost attempt staged are there after a power cut, once a report names them", async () => {
  const { lake } = bench.deps;
  const disk = forgetful(lake.store);
  const over = (store: ObjectStore): SyncDependencies => ({ ...bench.deps, lake: { ...lake, store } });
  const fault = { on: "append", key: " page transactions$", when: "before", effect: "lost" } as const;
  await expect(bench.read({ deps: over(withFaults(disk, [fault])) })).rejects.toThrow("was lost");
  const { report, parsed } = await bench.read({ attempt: 2, deps: over(disk) });
  await disk.powerCut();
  const own = report?.place.journal;
  expect(parsed.observed.some(({ place }) => place.journal !== own)).toBe(true);
  for (const { stream, place } of parsed.observed) {
    const record = await readRecord(lake.store, "run", place);
    expect([stream, record?.header.kind]).toEqual([stream, "page"]);
  }
});

test("when there is no time, nobody is reached, and what was given comes back as it was", async () => {
  const none = await bench.read({ budgetMs: 0 });
  expect(none).toMatchObject({ report: null, usersRead: 0, users: [], reached: 0, links: [], calls: 0 });
});

test("without time, a repeated attempt takes all that a lost one staged, whomever that began with: no later slice finds it", async () => {
  const lost = await bench.read({ fresh: { from: 1, to: 2 } });
  const { calls } = lost;
  bench.sandbox.clearRequests();
  const again = await bench.read({ attempt: 2, budgetMs: 0 });
  expect(bench.sandbox.calls().total).toBe(0);
  expect(await contentsOf(again)).toEqual(await contentsOf(lost));
  expect(again).toMatchObject({ usersRead: 1, users: [{ progress: { streak: null } }], reached: 2, calls });
});

test("records that a report names are there after they are persisted, and the journal is closed", async () => {
  const { report, parsed } = await bench.read();
  const places = [...parsed.observed.map(({ place }) => place), ...parsed.finished.map(({ link }) => link)];
  const journals = new Set(places.map(({ journal }) => journalKey("run", journal)));
  expect([...journals]).toEqual([journalKey("run", report?.place.journal ?? "")]);
});
