import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { decimalText, decimalUnits, type Population, startSandbox } from "../../sandbox/index.js";
import { ask } from "../helpers/stand-in/reader.js";

const BERKA = process.env.NIGHTLEDGER_TEST_BERKA_DIR ?? "../shared/data/berka";

async function worldOf(population: Population): Promise<string> {
  const sandbox = await startSandbox({ population });
  sandbox.advance({ days: 3, seed: 5 });
  sandbox.nightlyChanges({ changes: 50, seed: 5 });
  const links = [...sandbox.world.links.values()];
  const text = JSON.stringify(links.map((link) => [link.text, link.accounts, [...link.log.events()]]));
  await sandbox.close();
  return text;
}

test.each(["synthetic", "volume"] as const)(
  "the %s world is the same for the same seed, days after too",
  async (kind) => {
    const size = { kind, users: 2, rows: 80 };
    expect(await worldOf({ ...size, seed: 7 })).toBe(await worldOf({ ...size, seed: 7 }));
    expect(await worldOf({ ...size, seed: 7 })).not.toBe(await worldOf({ ...size, seed: 8 }));
  },
);

test("the synthetic world holds each awkward kind of value, and a link in each state and error code", async () => {
  const sandbox = await startSandbox({
    population: { kind: "synthetic", users: 2, rows: 400, otherStates: true },
  });
  const rows = [...sandbox.truthRows()].map((row) => row.values ?? {});
  const has = (fits: (values: Readonly<Record<string, unknown>>) => boolean) =>
    expect(rows.some(fits)).toBe(true);
  has((values) => values.currency === "JPY" && /^\d+$/.test(String(values.amount)));
  has((values) => /\.\d{10}$/.test(String(values.amount)));
  has((values) => String(values.amount).startsWith("-"));
  has((values) => values.datetime === null);
  has((values) => values.datetime === undefined);
  has((values) => String(values.datetime).endsWith("-0800"));
  has((values) => values.description === null);
  has((values) => values.enrichment === null);
  has((values) => values.pending === true);
  const confidences = rows.map(
    (values) => (values.enrichment as { category?: { confidence: unknown } })?.category?.confidence,
  );
  expect(new Set(confidences.map((value) => typeof value))).toEqual(
    new Set(["number", "string", "undefined"]),
  );
  expect(rows.every((values) => decimalUnits(values.amount) !== undefined)).toBe(true);
  const states = [...sandbox.world.links.values()].map((link) => JSON.parse(link.text));
  expect(new Set(states.map((link) => link.state))).toEqual(
    new Set(["connected", "connecting", "deleted", "error"]),
  );
  expect(new Set(states.map((link) => link.error_code).filter(Boolean)).size).toBe(11);
  await sandbox.close();
});

test("an advance brings every kind of change", async () => {
  const sandbox = await startSandbox({
    population: { kind: "synthetic", users: 1, linksPerUser: 1, rows: 100 },
  });
  const log = sandbox.world.link("link_fp_id_00001_1").log;
  const before = log.length;
  const known = new Set([...log.events()].map((event) => event.id));
  const report = sandbox.advance({ days: 5 });
  const events = [...log.events(before)];
  expect(report).toMatchObject({
    today: "2026-11-25",
    removed: events.filter((e) => e.change === "removed").length,
  });
  const values = (change: string) => events.filter((e) => e.change === change).map((e) => JSON.parse(e.text));
  expect(values("created").some((row) => row.date < "2026-11-05")).toBe(true);
  expect(values("created").some((row) => row.pending)).toBe(true);
  expect(values("created").some((row) => known.has(row.transaction_id))).toBe(true);
  expect(values("updated").some((row) => String(row.description).startsWith("seen again"))).toBe(true);
  await sandbox.close();
});

test("an advance posts pending rows of the last days, the newest first", async () => {
  const sandbox = await startSandbox({ population: { kind: "synthetic", rows: 400 } });
  const links = [...sandbox.world.links.values()];
  const pendingRows = (log: (typeof links)[number]["log"]) =>
    [...log.liveRows()].map(({ text }) => JSON.parse(text)).filter(({ pending }) => pending);
  const lengths = links.map(({ log }) => log.length);
  const dates = new Map(
    links.flatMap(({ log }) => pendingRows(log).map((row) => [row.transaction_id, row.date])),
  );
  expect(new Set(dates.values()).size).toBe(7);
  expect([...dates.values()].sort()[0]).toBe("2026-11-14");
  sandbox.advance({ days: 1, removed: 0, updated: 0, recreated: 0 });
  const news = links.flatMap(({ log }, at) => [...log.events(lengths[at])]);
  const gone = news.filter(({ change }) => change === "removed");
  expect(gone).toHaveLength(links.length);
  expect(new Set(gone.map(({ id }) => dates.get(id)))).toEqual(new Set(["2026-11-20"]));
  await sandbox.close();
});

test("a refresh replaces every pending row in silence, where it behaves so, and says when it was", async () => {
  const sandbox = await startSandbox({
    population: { kind: "synthetic", users: 1, linksPerUser: 1, rows: 100 },
    behaves: new Set(["pending-replaced"]),
    clock: { now: "2026-11-20T05:00:00Z", frozen: true },
  });
  const link = sandbox.world.link("link_fp_id_00001_1");
  const pendingIds = () =>
    [...link.log.liveRows()].filter(({ text }) => JSON.parse(text).pending).map(({ id }) => id);
  expect(new Set([...link.log.events()].map(({ change }) => change))).toEqual(new Set(["created"]));
  sandbox.advance({ pending: 20 });
  const [before, length] = [pendingIds(), link.log.length];
  sandbox.advance({ days: 3, pending: 0, lapsed: 2 });
  const created = String(link.log.lists(length, link.log.length).created);
  const again = pendingIds();
  expect(again.length).toBeGreaterThan(5);
  for (const id of again) expect(created.split(`"${id}"`)).toHaveLength(2);
  const named = [...link.log.events(length)].filter(({ change }) => change !== "created").map(({ id }) => id);
  expect(named.filter((id) => before.includes(id) && !again.includes(id) && !link.log.live(id))).toEqual([]);
  // Who begins reads each row once, and none that was replaced.
  const all = String(link.log.lists(0, link.log.length).created);
  expect(before.filter((id) => !link.log.live(id) && all.includes(`"${id}"`))).toEqual([]);
  expect(JSON.parse(link.text).products.transactions.refreshed_at).toBe("2026-11-20T05:00:00.000Z");
  await sandbox.close();
});

test.skipIf(!existsSync(BERKA))(
  "the bank data: a link an owner, 49,102 rows, each account's sum as in the file",
  async () => {
    const sandbox = await startSandbox({ population: { kind: "berka", directory: BERKA } });
    const sums = new Map<string, bigint>();
    const lines = gunzipSync(readFileSync(join(BERKA, "trans.csv.gz")))
      .toString()
      .trim()
      .split("\n")
      .slice(1);
    for (const line of lines) {
      const [, account = "", , , , amount] = line.split(";");
      sums.set(`berka_acc_${account}`, (sums.get(`berka_acc_${account}`) ?? 0n) + decimalUnits(amount)!);
    }
    expect(sandbox.world.links.size).toBe(4_500);
    const totals = sandbox.totals();
    expect(totals.reduce((rows, total) => rows + total.rows, 0)).toBe(49_102);
    expect(new Map(totals.map((total) => [total.account_id, total.amount]))).toEqual(
      new Map([...sums].map(([account, units]) => [account, decimalText(units)])),
    );
    const { body } = await ask<{ links: { id: string }[] }>(sandbox, "/users/berka_client_1/bank_links");
    expect(body.links.map((link) => link.id)).toEqual(["berka_link_1"]);
    await sandbox.close();
  },
);
