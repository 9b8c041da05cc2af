import { expect, test } from "vitest";
import {
  expectCertificates,
  expectFeedInOrder,
  expectLakeEqualsTruth,
} from "../../helpers/lake/lake-truth.js";
import { addLink, created, linkSync, liveIds } from "../../helpers/sync/scripted-links.js";
import { createdRaw, rawRow, type SyncWorld } from "../../helpers/sync/sync-harness.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

const quarantined = (world: SyncWorld, runId: string) =>
  world.rows(`select * from quarantine where run_id = '${runId}' order by list, index`);

/** A world with one link `a`, two good rows, and between them the given rows as raw JSON. */
async function worldWith(...rows: readonly string[]): Promise<SyncWorld> {
  const world = await worlds.open();
  addLink(world, "a", 0);
  world.sandbox.append("a", [
    created("good-1"),
    ...rows.map((raw, n) => ({ change: "created" as const, raw, id: `bad-${n}` })),
    created("good-2"),
  ]);
  return world;
}

test("a blank or missing id is quarantined in its own words, and the rows beside it are kept", async () => {
  const rows = [rawRow(""), rawRow(" \t\u00a0"), '{"account_id":"acc_1" , "amount" : "1.10"}'];
  const world = await worldWith(...rows);
  const { runId, result } = await world.sync();
  expect(result).toMatchObject({
    status: "completed_with_failures",
    rows: { created: 2, quarantined: 3 },
    links: { synced: 1, failed: 0 },
  });
  const bad = await quarantined(world, runId);
  expect(bad.map(({ payload }) => payload)).toEqual(rows);
  expect(bad.map(({ index }) => index)).toEqual([1, 2, 3]);
  expect(bad[0]).toMatchObject({
    stream: "transactions",
    fp_id: "fp_1",
    link_id: "a",
    page: 0,
    list: "created",
    reason: "transaction_id: blank",
  });
  const feed = await world.rows("select sequence from transaction_changes order by sequence");
  expect(feed.map(({ sequence }) => sequence)).toEqual([1, 5]);
  expect(await linkSync(world, runId, "a")).toMatchObject({ created: 2, quarantined: 3 });
  await expectCertificates(world, "a");
  await expectFeedInOrder(world, "a");
});

test("amounts are exact decimals, and what is none is quarantined", async () => {
  const good: Record<string, string> = {
    "0.10": "0.1000000000",
    "-1234567890.12": "-1234567890.1200000000",
    "12.345": "12.3450000000",
    "500": "500.0000000000",
    "999999999999999999.9999999999": "999999999999999999.9999999999",
    "0.0000000001": "0.0000000001",
    "9007199254740993.0000000001": "9007199254740993.0000000001",
    "-0.00": "0.0000000000",
    "0001.5": "1.5000000000",
    "12345678901234.5": "12345678901234.5000000000",
  };
  const bad = [
    '"1e3"',
    '"+5"',
    '" 5"',
    '"1_000"',
    '"1,000.00"',
    "5",
    "5.10",
    "null",
    '""',
    '"0.12345678901"',
    '"."',
    '"1."',
    '"٣"',
    '"NaN"',
  ];
  const world = await worlds.open();
  addLink(world, "a", 0);
  world.sandbox.append("a", [
    ...Object.keys(good).map((amount, n) => createdRaw(`good-${n}`, { amount: JSON.stringify(amount) })),
    ...bad.map((amount, n) => createdRaw(`bad-${n}`, { amount })),
  ]);
  const { runId } = await world.sync();
  const rows = await world.rows("select amount from transactions order by sequence");
  expect(rows.map(({ amount }) => amount)).toEqual(Object.values(good));
  const refused = await quarantined(world, runId);
  expect(refused.map(({ payload }) => payload)).toEqual(
    bad.map((amount, n) => rawRow(`bad-${n}`, { amount })),
  );
  expect(new Set(refused.map(({ reason }) => reason))).toEqual(
    new Set(["amount: not a decimal string", "amount: has more than ten decimals"]),
  );
});

test("the amount stays as given, the signed one follows the type, and opposite signs are counted", async () => {
  const world = await worlds.open();
  addLink(world, "a", 0);
  world.sandbox.append("a", [
    created("1", { amount: "5.00", type: "credit" }),
    created("2", { amount: "-5.00", type: "credit" }),
    created("3", { amount: "5.00", type: "debit" }),
    created("4", { amount: "-5.00", type: "debit" }),
    created("5", { amount: "0.00", type: "debit" }),
  ]);
  const { runId } = await world.sync();
  const rows = await world.rows("select amount, signed_amount from transactions order by sequence");
  expect(rows.map(({ amount, signed_amount }) => [Number(amount), Number(signed_amount)])).toEqual([
    [5, 5],
    [-5, 5],
    [5, -5],
    [-5, -5],
    [0, 0],
  ]);
  expect(await linkSync(world, runId, "a")).toMatchObject({ sign_conflicts: 2 });
});

test("a confidence is one decimal column, from numbers and texts; anything else is null, never a lost row", async () => {
  const given: readonly [string, string | null][] = [
    ["0.91", "0.9100000000"],
    ['"0.91"', "0.9100000000"],
    ["1", "1.0000000000"],
    ["1e-3", "0.0010000000"],
    ["0.12345678905", "0.1234567891"],
    ['"high"', null],
    ["null", null],
    ["{}", null],
    ["1e400", null],
    ['"\\ud800"', null],
  ];
  const world = await worlds.open();
  addLink(world, "a", 0);
  world.sandbox.append(
    "a",
    given.map(([confidence], n) =>
      createdRaw(`t${n}`, { enrichment: `{"category":{"value":"food","confidence":${confidence}}}` }),
    ),
  );
  const { result } = await world.sync();
  expect(result.rows).toMatchObject({ created: given.length, quarantined: 0 });
  const rows = await world.rows(
    "select enrichment_category, enrichment_category_confidence as c from transactions order by sequence",
  );
  expect(rows.map(({ c }) => c)).toEqual(given.map(([, expected]) => expected));
  expect(new Set(rows.map((row) => row.enrichment_category))).toEqual(new Set(["food"]));
});

test("datetime: the text is kept, the instant only where the offset is known, and the date is a date", async () => {
  const given: readonly [string, string | null, string | null][] = [
    ["null", null, null],
    ['"2026-11-01T09:15:00Z"', "2026-11-01T09:15:00Z", "2026-11-01T09:15:00.000000Z"],
    [
      '"2026-11-01T09:15:00.1234569+02:00"',
      "2026-11-01T09:15:00.1234569+02:00",
      "2026-11-01T07:15:00.123456Z",
    ],
    ['"2026-11-01T23:59:59-0800"', "2026-11-01T23:59:59-0800", "2026-11-02T07:59:59.000000Z"],
    ['"2026-11-01T09:15:00"', "2026-11-01T09:15:00", null],
    ['"2026-11-01"', "2026-11-01", null],
    ['"2026-02-30T09:15:00Z"', "2026-02-30T09:15:00Z", null],
    ['"yesterday"', "yesterday", null],
    ["1793523300", "1793523300", null],
    ['{"at":1}', '{"at":1}', null],
  ];
  const world = await worlds.open();
  addLink(world, "a", 0);
  world.sandbox.append(
    "a",
    given.map(([datetime], n) => createdRaw(`t${n}`, { datetime })),
  );
  const { result } = await world.sync();
  expect(result.rows).toMatchObject({ created: given.length, quarantined: 0 });
  const rows = await world.rows('select datetime_text, datetime, "date" from transactions order by sequence');
  expect(rows.map((row) => [row.datetime_text, row.datetime])).toEqual(
    given.map(([, text, at]) => [text, at]),
  );
  expect(new Set(rows.map((row) => row.date))).toEqual(new Set(["2026-11-01"]));
});

test("each value that breaks its field's rule quarantines its row alone, and says so", async () => {
  const wrong = [
    ["date", '"2026-02-30"', "date: not a day YYYY-MM-DD"],
    ["date", '"2026-11-01T00:00:00Z"', "date: not a day YYYY-MM-DD"],
    ["type", '"DEBIT"', "type: not debit or credit"],
    ["currency", '" "', "currency: blank"],
    ["account_id", "null", "account_id: not text"],
    ["enrichment", '"x"', "enrichment: not an object"],
    ["pending", '"false"', "pending: not true or false"],
  ] as const;
  const rows = wrong.map(([field, value], n) => rawRow(`bad-${n}`, { [field]: value }));
  const world = await worldWith(...rows);
  const { runId } = await world.sync();
  expect(await quarantined(world, runId)).toMatchObject(
    wrong.map(([, , reason], n) => ({ payload: rows[n], reason, index: n + 1 })),
  );
  expect(await liveIds(world, "a")).toEqual(["good-1", "good-2"]);
});

test("new fields are kept, and told once a run by their names", async () => {
  const world = await worlds.open();
  for (const link of ["a", "b"]) {
    addLink(world, link, 0);
    world.sandbox.append(link, [
      createdRaw(`${link}-1`, { loyalty: '{"points":[1,2]}', other: "1" }),
      createdRaw(`${link}-2`, { loyalty: '"none"' }),
    ]);
  }
  const { result } = await world.sync();
  expect(result).toMatchObject({ status: "completed", rows: { created: 4, quarantined: 0 } });
  const warnings = (await world.log())
    .split("\n")
    .filter((line) => line.includes("the service has new fields"));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain("transactions.loyalty");
  expect(warnings[0]).not.toContain("points");
  await expectLakeEqualsTruth(world);
});
