import { expect, test } from "vitest";
import { expectLakeEqualsTruth } from "../../helpers/lake/lake-truth.js";
import { addLink, created, feedOf, linkSync, liveIds, removed } from "../../helpers/sync/scripted-links.js";
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

test("lone surrogates become U+FFFD in texts and quarantine ids", async () => {
  const world = await worlds.open();
  addLink(world, "a", 0);
  world.sandbox.append("a", [
    createdRaw("pair", { description: '"\\ud83e\\udd50 caf\\u00e9 \\\\ud800"' }),
    createdRaw("lone", { description: '"x\\ud800y\\uDC00"', raw_description: '"\\udfff"' }),
    { change: "created", raw: rawRow("i").replace('"i"', '"id\\ud800"'), id: "i" },
    createdRaw("account", { account_id: '"\\udc00"' }),
    { change: "removed", raw: '"gone\\ud800"', id: "gone" },
  ]);
  const { runId } = await world.sync();
  const rows = await world.rows("select * from transactions order by sequence");
  expect(rows.map(({ description, raw_description }) => [description, raw_description])).toEqual([
    ["🥐 café \\ud800", null],
    ["x\ufffdy\ufffd", "\ufffd"],
  ]);
  const bad = await quarantined(world, runId);
  expect(bad.map(({ list, reason }) => [list, reason])).toEqual([
    ["created", "transaction_id: has a lone surrogate"],
    ["created", "account_id: has a lone surrogate"],
    ["removed", "has a lone surrogate"],
  ]);
  expect(bad[2]?.payload).toBe('"gone\\ud800"');
});

test("a repeated key in a row, which SQL refuses, costs that row alone", async () => {
  const bad = rawRow("twice").replace("{", '{"amount":"1.00",');
  const deep = rawRow("deep", { enrichment: '{"category":{"value":"a","value":"b","confidence":1}}' });
  const unknown = rawRow("unknown", { extra: '{"k":1,"k":2}' });
  const world = await worldWith(bad, deep, unknown);
  const { runId, result } = await world.sync();
  expect(result.rows.created + result.rows.quarantined).toBe(5);
  const payloads = (await quarantined(world, runId)).map(({ payload, reason }) => [payload, reason]);
  expect(payloads).toContainEqual([bad, "a key appears twice"]);
  expect(payloads).toContainEqual([deep, "a key appears twice"]);
  expect(await liveIds(world, "a")).toEqual(expect.arrayContaining(["good-1", "good-2"]));
});

test("a repeated key of the envelope fails the link alone, and never loads other rows than were read", async () => {
  const bodies = [
    [
      "transactions",
      '{"cursor":{"next":"c"},"has_more":false,"transactions":{"created":[],"updated":[],"removed":[]},"transactions":{"created":[ROW],"updated":[],"removed":[]}}',
    ],
    [
      "created",
      '{"cursor":{"next":"c"},"has_more":false,"transactions":{"created":[],"created":[ROW],"updated":[],"removed":[]}}',
    ],
    [
      "created_last",
      '{"cursor":{"next":"c"},"has_more":false,"transactions":{"created":[ROW],"created":[],"updated":[],"removed":[]}}',
    ],
    [
      "transactions_last",
      '{"cursor":{"next":"c"},"has_more":false,"transactions":{"created":[ROW],"updated":[],"removed":[]},"transactions":{"created":[],"updated":[],"removed":[]}}',
    ],
  ] as const;
  const world = await worlds.open();
  for (const [name, body] of bodies) {
    addLink(world, name, 3, `fp_${name}`);
    world.sandbox.addFault({ kind: "wrong_body", link: name, body: body.replace("ROW", rawRow("t")) });
  }
  addLink(world, "b", 3);
  const { runId, result } = await world.sync();
  expect(result.links).toMatchObject({ synced: 1, failed: bodies.length });
  for (const [name] of bodies) {
    expect((await linkSync(world, runId, name))?.reason, name).toMatch(/^schema /);
    expect(await feedOf(world, name)).toEqual([]);
  }
  await expectLakeEqualsTruth(world, ["b"]);
});

test("awkward texts come through as they are: NUL, quotes, line ends, percent, long ones", async () => {
  const texts = [
    "a\u0000b",
    "'; drop table x; --",
    "line\r\nend\u2028",
    "%s {} $x",
    "x".repeat(200_000),
    "",
    " ",
  ];
  const world = await worlds.open();
  addLink(world, "a", 0);
  world.sandbox.append(
    "a",
    texts.map((description, n) => created(`t${n}`, { description })),
  );
  await world.sync();
  const rows = await world.rows("select description from transactions order by sequence");
  expect(rows.map(({ description }) => description)).toEqual(texts);
  await expectLakeEqualsTruth(world);
});

test("ids with quotes, spaces, unicode and NUL are keys like any other", async () => {
  const ids = ["it's", 'a"b', " x", "日本", "a\u0000b", "a%2Fb", "a/b", "x".repeat(3_000)];
  const world = await worlds.open();
  addLink(world, "a", 0);
  world.sandbox.append(
    "a",
    ids.map((id) => created(id)),
  );
  await world.sync();
  world.sandbox.append(
    "a",
    ids.map((id) => removed(id)),
  );
  await world.sync();
  expect(await liveIds(world, "a")).toEqual([]);
  expect(await feedOf(world, "a")).toHaveLength(ids.length * 2);
});

test("a page nested so deep that nothing can be cut out of it, no bad row and no new field, fails its link alone", async () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const world = await worldWith(rawRow("deep", { extra: deep }), rawRow(" "));
  addLink(world, "b", 3);
  world.sandbox.append("b", [createdRaw("deep", { extra: deep, datetime: deep })]);
  const { runId, result } = await world.sync();
  expect(result.links).toMatchObject({ synced: 0, failed: 2 });
  expect(await linkSync(world, runId, "a")).toMatchObject({ reason: "schema body: nested too deep" });
  expect(await linkSync(world, runId, "b")).toMatchObject({ reason: "schema body: nested too deep" });
});
