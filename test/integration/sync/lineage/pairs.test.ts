import { expect, test } from "vitest";
import { withLakeReader } from "../../../../src/cli/lake/reader.js";
import { explainTransaction } from "../../../../src/lake/sync/explain/explain-transaction.js";
import { expectLakeEqualsTruth } from "../../../helpers/lake/lake-truth.js";
import { addRows, created, removed, updated } from "../../../helpers/sync/scripted-links.js";
import type { SyncWorld } from "../../../helpers/sync/sync-harness.js";
import { syncWorlds } from "../../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

const PAIRS = `select pending_transaction_id as p, posted_transaction_id as q, tier, posted_candidates::int as qs,
  pending_candidates::int as ps from transaction_links order by link_id, removed_sequence`;

async function openLink(): Promise<SyncWorld> {
  const world = await worlds.open();
  world.sandbox.addLink({ fp_id: "fp_1", id: "a" });
  return world;
}

const pending = (id: string, date: string, amount = "4.20") => created(id, { date, amount, pending: true });
const posted = (id: string, date: string, amount = "4.20") => created(id, { date, amount, pending: false });

test("P goes on the first page and Q comes on the third: both states flip at once, and are a pair", async () => {
  const world = await openLink();
  world.sandbox.append("a", [pending("p", "2026-11-18")]);
  await world.sync({ pageSize: 2 });
  world.sandbox.append("a", [removed("p")]);
  addRows(world.sandbox, "a", 4);
  world.sandbox.append("a", [posted("q", "2026-11-19")]);
  const { runId, result } = await world.sync({ pageSize: 2 });
  expect(result.pages).toBe(3);
  expect(await world.rows(PAIRS)).toEqual([{ p: "p", q: "q", tier: "exact", qs: 1, ps: 1 }]);
  expect(
    await world.rows(
      `select transaction_id as id, page from transaction_changes where run_id = '${runId}' and transaction_id in ('p', 'q')
        order by sequence`,
    ),
  ).toEqual([
    { id: "p", page: 0 },
    { id: "q", page: 2 },
  ]);
  await expectLakeEqualsTruth(world);
});

test("P goes tonight and Q comes in three days: the tombstone now, the pair then", async () => {
  const world = await openLink();
  world.sandbox.append("a", [pending("p", "2026-11-10"), pending("late", "2026-11-10", "7.00")]);
  await world.sync();
  world.sandbox.append("a", [removed("p"), removed("late")]);
  await world.sync();
  expect(await world.rows(PAIRS)).toMatchObject([{ tier: "waiting" }, { tier: "waiting" }]);
  expect(await world.rows("select * from transactions")).toEqual([]);
  world.sandbox.append("a", [posted("q", "2026-11-13"), posted("too late", "2026-11-25", "7.00")]);
  await world.sync();
  expect(await world.rows(PAIRS)).toEqual([
    { p: "p", q: "q", tier: "exact", qs: 1, ps: 1 },
    { p: "late", q: null, tier: "waiting", qs: 0, ps: 0 },
  ]);
});

test("another amount of the same merchant is a pair of a lower tier, with both amounts", async () => {
  const world = await openLink();
  world.sandbox.append("a", [created("p", { amount: "20.00", pending: true, description: "Café Zürich" })]);
  await world.sync();
  world.sandbox.append("a", [
    removed("p"),
    created("q", { amount: "23.00", description: "Café Zürich" }),
    created("other", { amount: "23.00", description: "Tesco" }),
  ]);
  await world.sync();
  expect(
    await world.rows(
      "select posted_transaction_id as q, tier, pending_signed_amount as p, posted_signed_amount as amount from transaction_links",
    ),
  ).toEqual([{ q: "q", tier: "amount_changed", p: "-20.0000000000", amount: "-23.0000000000" }]);
});

test("two P of one amount and one Q are listed and not linked; two identical payments stay two", async () => {
  const world = await openLink();
  world.sandbox.append("a", [pending("p1", "2026-11-18"), pending("p2", "2026-11-18")]);
  world.sandbox.append("a", [posted("twin1", "2026-11-18", "9.00"), posted("twin2", "2026-11-18", "9.00")]);
  await world.sync();
  world.sandbox.append("a", [removed("p1"), removed("p2"), posted("q", "2026-11-19")]);
  await world.sync();
  expect(await world.rows(PAIRS)).toEqual([
    { p: "p1", q: null, tier: "ambiguous", qs: 1, ps: 2 },
    { p: "p2", q: null, tier: "ambiguous", qs: 1, ps: 2 },
  ]);
  expect(await world.rows("select count(*)::int as n from transactions where amount = 9")).toEqual([
    { n: 2 },
  ]);
});

test("a posted date before the pending one is no pair", async () => {
  const world = await openLink();
  world.sandbox.append("a", [pending("p", "2026-11-18")]);
  await world.sync();
  world.sandbox.append("a", [removed("p"), posted("q", "2026-11-17")]);
  await world.sync();
  expect(await world.rows(PAIRS)).toMatchObject([{ q: null, tier: "waiting" }]);
});

test("posted under the id that it has: updated in place, no pair, and explain says so", async () => {
  const world = await openLink();
  world.sandbox.append("a", [pending("p", "2026-11-18")]);
  await world.sync();
  world.sandbox.append("a", [updated("p", { date: "2026-11-19", amount: "4.20", pending: false })]);
  await world.sync();
  expect(await world.rows(PAIRS)).toEqual([]);
  const [found] = await withLakeReader(world.store, (lake) => explainTransaction(lake, "p"));
  expect(found).toMatchObject({
    state: "live",
    changes: [
      { change_type: "created", pending: true, page: 0, version: 0, certificate: { place: 1 } },
      { change_type: "updated", pending: false, page: 0, version: 1, certificate: { place: 2 } },
    ],
    current: { sequence: 2 },
    became: [],
    proof: { holds: true, certificates: 2 },
  });
});

test("after many nights of a busy bank, each exact pair is one that the bank made, and most of those are found", async () => {
  const world = await worlds.open({
    sandbox: { population: { kind: "synthetic", users: 3, linksPerUser: 2, rows: 60, seed: 5 } },
  });
  await world.sync();
  for (let night = 1; night <= 5; night += 1) {
    world.sandbox.advance({ days: 1 + (night % 3), seed: night, pending: 3, posted: 2 });
    await world.sync();
  }
  const made = new Set([...world.sandbox.world.links.keys()].flatMap((link) => madePairs(world, link)));
  const found = await world.rows(
    "select link_id, pending_transaction_id as p, posted_transaction_id as q from transaction_links where tier = 'exact'",
  );
  const pairs = found.map(({ link_id, p, q }) => `${link_id} ${p} ${q}`);
  expect(pairs.filter((pair) => !made.has(pair))).toEqual([]);
  expect(new Set(pairs).size).toBe(pairs.length);
  // The others are those whose pending id the bank has used again at once.
  expect(pairs.length).toBeGreaterThan(made.size * 0.8);
});

/** The pairs that the bank made of a link within 14 days: a removal, and right after it the posted row. */
function madePairs({ sandbox }: SyncWorld, link: string): string[] {
  const { events } = sandbox.truth(link);
  return events.flatMap(({ change, id }, at) => {
    const next = events[at + 1];
    if (change !== "removed" || next?.change !== "created") return [];
    const row = JSON.parse(next.text) as { pending: boolean; amount: string; date: string };
    const before = events.findLast(
      (event, index) => index < at && event.id === id && event.change !== "removed",
    );
    const was = JSON.parse(before?.text ?? "{}") as Partial<typeof row>;
    const isPair = was.pending === true && row.pending === false && was.amount === row.amount;
    return isPair && Date.parse(row.date) - Date.parse(was.date ?? "") <= 14 * 86_400_000
      ? [`${link} ${id} ${next.id}`]
      : [];
  });
}
