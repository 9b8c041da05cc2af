import { afterEach, beforeEach, expect, test } from "vitest";
import { schemaActions } from "../../../src/lake/delta/delta-schema.js";
import { materialize } from "../../../src/lake/materialize/materialize.js";
import { Problems } from "../../../src/lake/sync/chain-check.js";
import { haveRebuilt } from "../../../src/lake/sync/forget/erase-rows.js";
import { checkDerived } from "../../../src/lake/sync/verify/derived-check.js";
import { addOf, writeRows } from "../../../src/lake/tables/parquet-file.js";
import { transactions } from "../../../src/lake/tables/transactions.js";
import { bankLinkStream } from "../../../src/streams/bank-links.js";
import { type Change, FeedLake } from "../../helpers/lake/feed-lake.js";

let at: FeedLake;
beforeEach(async () => {
  at = await FeedLake.open();
});
afterEach(() => at.release());

/** An update of a link in one night: its rows come at six. */
function update(night: number, link: string, ...changes: readonly Partial<Change>[]): Change[] {
  return changes.map((change, place) => ({
    ...{ id: "", link, run: `run${night}`, sequence: night * 10_000 + place, fetchedAt: time(night, 6) },
    ...change,
  }));
}

const time = (night: number, hour: number) => `2026-05-${String(night).padStart(2, "0")}T0${hour}:00:00Z`;
const pending = (id: string): Partial<Change> => ({ id, pending: true });

/** What `bank_links` says of a link: observed at an hour of a night, refreshed at another time. */
async function observe(link: string, night: number, hour: number, refreshed_at: string): Promise<void> {
  const products = JSON.stringify({ transactions: { refreshed_at } });
  const row = { run_id: `run${night}`, fp_id: `fp_${link}`, link_id: link, products };
  const { table } = bankLinkStream;
  const files = await writeRows(at.lake, table, "links", [{ ...row, observed_at: time(night, hour) }]);
  await at.lake
    .table(table.name)
    .commit((now) => [...schemaActions(table, now, 1), ...files.map((file) => ({ add: addOf(file) }))]);
}

const replaced = () => materialize({ ...at.lake, pending: "replaced" });

/** The ids of `transactions`, after the table was found to be what the feed says by its rule. */
async function ids(): Promise<string[]> {
  const problems = new Problems();
  expect(await checkDerived(at.lake, [], problems)).toEqual({ compared: 1, notes: [] });
  expect(problems.first.map(({ what }) => what)).toEqual([]);
  return (await at.rows()).map((row) => row.split(" ")[0] as string);
}

// Five nights left 44 of 59 pending rows that no bank had any more.
test("only the pending rows of a link's newest update stay, night by night and all at once", async () => {
  const nights: [Change[], string[]][] = [
    [
      [...update(1, "a", { id: "x" }, pending("p1"), pending("p2")), ...update(1, "b", pending("p1"))],
      ["a/p1", "a/p2", "a/x", "b/p1"],
    ],
    // One comes again under its id, one under another id, one posted.
    [update(2, "a", pending("p1"), pending("p3"), { id: "p2" }), ["a/p1", "a/p2", "a/p3", "a/x", "b/p1"]],
    // An update without a pending row: all of them are gone. Nothing came of the other link.
    [update(3, "a", { id: "x", type: "updated", amount: "2" }), ["a/p2", "a/x", "b/p1"]],
    [[], ["a/p2", "a/x", "b/p1"]],
    // A full resync, and a posted row under a pending one's id.
    [
      [
        ...update(
          5,
          "a",
          { id: "x" },
          pending("p9"),
          { id: "p1" },
          { id: "p2", type: "removed", inferred: true },
        ),
        ...update(5, "b", pending("p2")),
      ],
      ["a/p1", "a/p9", "a/x", "b/p2"],
    ],
  ];
  for (const [changes, expected] of nights) {
    await at.feed(...changes);
    await replaced();
    expect(await ids()).toEqual(expected);
  }
  const last = nights.at(-1)?.[1];
  await at.lake.store
    .list("transactions/")
    .then((found) => Promise.all(found.map(({ key }) => at.lake.store.delete(key))));
  const again = await FeedLake.openAt(at.directory);
  await materialize(again.lake, { rule: "listed" });
  await materialize(again.lake, { rule: "replaced" });
  expect((await again.rows()).map((row) => row.split(" ")[0])).toEqual(last);
  await again.lake.close();
});

test("a refresh after the newest update that brought nothing leaves no pending row, whenever it is heard of", async () => {
  await at.feed(...update(1, "a", { id: "x" }, pending("p")), ...update(1, "b", pending("q")));
  await observe("a", 1, 5, time(1, 4));
  await replaced();
  expect(await ids()).toEqual(["a/p", "a/x", "b/q"]);
  // Another field of the link changes; and the service's clock is ahead: what was observed before the rows came is not later.
  await observe("a", 1, 5, time(1, 8));
  await observe("b", 2, 5, time(1, 5));
  await replaced();
  expect(await ids()).toEqual(["a/p", "a/x", "b/q"]);
  await observe("a", 2, 5, time(2, 4));
  await replaced();
  expect(await ids()).toEqual(["a/x", "b/q"]);
  // Of a link whose rows come late: they are older than what was heard of it meanwhile.
  await observe("c", 2, 8, time(2, 7));
  await at.feed(...update(2, "c", pending("late")), ...update(3, "a", pending("p")));
  await replaced();
  expect(await ids()).toEqual(["a/p", "a/x", "b/q"]);
  expect(await replaced()).toMatchObject({ rows: 0, rebuilt: false });
  // Built again, as after a person was forgotten, it hears of every refresh once more.
  await haveRebuilt(at.lake, transactions);
  await replaced();
  expect(await ids()).toEqual(["a/p", "a/x", "b/q"]);
});

test("a rule that changes builds the table again, and stays without the setting", async () => {
  await at.feed(...update(1, "a", { id: "x" }, pending("p1")));
  await at.feed(...update(2, "a", pending("p2")));
  await materialize(at.lake);
  expect(await ids()).toEqual(["a/p1", "a/p2", "a/x"]);
  expect(await replaced()).toMatchObject({ because: "pending rows count as replaced from now on" });
  expect(await ids()).toEqual(["a/p2", "a/x"]);
  await at.feed(...update(3, "a", pending("p3")));
  await materialize(at.lake);
  expect(await ids()).toEqual(["a/p3", "a/x"]);
  await materialize(at.lake, { rule: "listed" });
  expect(await ids()).toEqual(["a/p1", "a/p2", "a/p3", "a/x"]);
});

// The rest of a link's keys is looked up beside them: a row that went twice would be counted twice, and its group lost.
test("rows that are posted under their ids leave once, among many of a link", async () => {
  const many = Array.from({ length: 3_000 }, (_, place) => ({ id: `x${place}`, date: "2026-05-05" }));
  const some = Array.from({ length: 50 }, (_, place) => `p${place}`);
  await at.feed(...update(1, "a", ...many, ...some.map(pending)));
  await replaced();
  await at.feed(...update(9, "a", ...some.slice(0, 20).map((id) => ({ id }))));
  await replaced();
  const { length } = await ids();
  expect(length).toBe(3_020);
});
