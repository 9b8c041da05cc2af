import { afterAll, beforeAll, expect, test } from "vitest";
import type { SyncSummary } from "../../../src/domain/sync/sync-summary.js";
import { eachFile } from "../../helpers/each-test.js";
import {
  expectCertificates,
  expectFeedInOrder,
  expectLakeEqualsTruth,
} from "../../helpers/lake/lake-truth.js";
import {
  AMOUNTS,
  BLANK_IDS,
  CONFIDENCES,
  DEEP,
  ENVELOPES,
  IDS,
  NO_AMOUNTS,
  NUMBERS,
  REPEATED,
  REPEATED_DEEP,
  TEXTS,
  TIMES,
  WRONG,
  WRONG_ROWS,
} from "../../helpers/sync/awkward-values.js";
import { addLink, created, feedOf, linkSync, liveIds, removed } from "../../helpers/sync/scripted-links.js";
import { createdRaw, openSyncWorld, type Row, rawRow } from "../../helpers/sync/sync-harness.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
// One night for all: each link has the values of one test.
const world = eachFile(() => openSyncWorld(temporal));
let runId: string;
let result: SyncSummary;
beforeAll(async () => {
  const { sandbox } = world;
  const between = (link: string, rows: readonly string[]) => {
    addLink(world, link, 0, `fp_${link}`);
    const bad = rows.map((raw, n) => ({ change: "created" as const, raw, id: `bad-${n}` }));
    sandbox.append(link, [created(`${link}-first`), ...bad, created(`${link}-last`)]);
  };
  const raws = (link: string, rows: readonly Parameters<typeof createdRaw>[1][]) => {
    addLink(world, link, 0, `fp_${link}`);
    sandbox.append(
      link,
      rows.map((fields, n) => createdRaw(`${link}-${n}`, fields)),
    );
  };
  between("ids", BLANK_IDS);
  raws(
    "amounts",
    [
      ...Object.keys(AMOUNTS).map((amount) => JSON.stringify(amount)),
      ...Object.keys(NUMBERS),
      ...NO_AMOUNTS,
    ].map((amount) => ({ amount })),
  );
  addLink(world, "signs", 0, "fp_signs");
  sandbox.append("signs", [
    created("1", { amount: "5.00", type: "credit" }),
    created("2", { amount: "-5.00", type: "credit" }),
    created("3", { amount: "5.00", type: "debit" }),
    created("4", { amount: "-5.00", type: "debit" }),
    created("5", { amount: "0.00", type: "debit" }),
  ]);
  raws(
    "confidences",
    CONFIDENCES.map(([confidence]) => ({
      enrichment: `{"category":{"value":"food","confidence":${confidence}}}`,
    })),
  );
  raws(
    "times",
    TIMES.map(([datetime]) => ({ datetime })),
  );
  between("wrong", WRONG_ROWS);
  for (const link of ["new-a", "new-b"])
    raws(link, [{ loyalty: '{"points":[1,2]}', other: "1" }, { loyalty: '"none"' }]);
  addLink(world, "surrogates", 0, "fp_surrogates");
  sandbox.append("surrogates", [
    createdRaw("pair", { description: '"\\ud83e\\udd50 caf\\u00e9 \\\\ud800"' }),
    createdRaw("lone", { description: '"x\\ud800y\\uDC00"', raw_description: '"\\udfff"' }),
    { change: "created", raw: rawRow("i").replace('"i"', '"id\\ud800"'), id: "i" },
    createdRaw("account", { account_id: '"\\udc00"' }),
    { change: "removed", raw: '"gone\\ud800"', id: "gone" },
  ]);
  between("repeated", [REPEATED, REPEATED_DEEP, rawRow("unknown", { extra: '{"k":1,"k":2}' })]);
  for (const [name, lists] of Object.entries(ENVELOPES)) {
    addLink(world, name, 3, `fp_${name}`);
    sandbox.addFault({
      kind: "wrong_body",
      link: name,
      body: `{"cursor":{"next":"c"},"has_more":false,${lists}}`,
    });
  }
  addLink(world, "texts", 0, "fp_texts");
  sandbox.append(
    "texts",
    TEXTS.map((description, n) => created(`text-${n}`, { description })),
  );
  addLink(world, "odd-ids", 0, "fp_odd-ids");
  sandbox.append(
    "odd-ids",
    IDS.map((id) => created(id)),
  );
  between("deep-beside-bad", [rawRow("deep", { extra: DEEP }), rawRow(" ")]);
  raws("deep", [{ extra: DEEP, datetime: DEEP }]);
  ({ runId, result } = await world.sync());
});
afterAll(async () => {
  await temporal.stop();
});

const rowsOf = (link: string, columns = "*") =>
  world.rows(`select ${columns} from transactions where link_id = '${link}' order by sequence`);
const quarantined = (link: string): Promise<Row[]> =>
  world.rows(`select * from quarantine where link_id = '${link}' order by list, index`);

test("a run with bad rows and bad pages says how many", async () => {
  const [{ bad } = {}] = await world.rows("select count(*) as bad from quarantine");
  const failed = Object.keys(ENVELOPES).length + 2;
  expect(result).toMatchObject({ status: "completed_with_failures", links: { failed } });
  expect(result.rows.quarantined).toBe(bad);
});

test("a blank or missing id is quarantined in its own words, and the rows beside it are kept", async () => {
  const bad = await quarantined("ids");
  expect(bad.map(({ payload }) => payload)).toEqual(BLANK_IDS);
  expect(bad.map(({ index }) => index)).toEqual([1, 2, 3]);
  expect(bad[0]).toMatchObject({
    stream: "transactions",
    fp_id: "fp_ids",
    page: 0,
    list: "created",
    reason: "transaction_id: blank",
  });
  const feed = await world.rows(
    "select sequence from transaction_changes where link_id = 'ids' order by sequence",
  );
  expect(feed.map(({ sequence }) => sequence)).toEqual([1, 5]);
  expect(await linkSync(world, runId, "ids")).toMatchObject({ status: "synced", created: 2, quarantined: 3 });
  await expectCertificates(world, "ids");
  await expectFeedInOrder(world, "ids");
});

test("amounts are exact decimals, and what is none is quarantined", async () => {
  expect((await rowsOf("amounts")).map(({ amount }) => amount)).toEqual([
    ...Object.values(AMOUNTS),
    ...Object.values(NUMBERS),
  ]);
  const refused = await quarantined("amounts");
  const first = Object.keys({ ...AMOUNTS, ...NUMBERS }).length;
  expect(refused.map(({ payload }) => payload)).toEqual(
    NO_AMOUNTS.map((amount, n) => rawRow(`amounts-${first + n}`, { amount })),
  );
  expect(new Set(refused.map(({ reason }) => reason))).toEqual(
    new Set(["amount: not a decimal string", "amount: has more than ten decimals"]),
  );
});

test("the amount stays as given, the signed one follows the type, and opposite signs are counted", async () => {
  const rows = await rowsOf("signs", "amount, signed_amount");
  expect(rows.map(({ amount, signed_amount }) => [Number(amount), Number(signed_amount)])).toEqual([
    [5, 5],
    [-5, 5],
    [5, -5],
    [-5, -5],
    [0, 0],
  ]);
  expect(await linkSync(world, runId, "signs")).toMatchObject({ sign_conflicts: 2 });
});

test("a confidence is one decimal column, from numbers and texts; anything else is null, never a lost row", async () => {
  const rows = await rowsOf("confidences", "enrichment_category, enrichment_category_confidence as c");
  expect(rows.map(({ c }) => c)).toEqual(CONFIDENCES.map(([, expected]) => expected));
  expect(new Set(rows.map((row) => row.enrichment_category))).toEqual(new Set(["food"]));
});

test("datetime: the text is kept, the instant only where the offset is known, and the date is a date", async () => {
  const rows = await rowsOf("times", 'datetime_text, datetime, "date"');
  expect(rows.map((row) => [row.datetime_text, row.datetime])).toEqual(
    TIMES.map(([, text, at]) => [text, at]),
  );
  expect(new Set(rows.map((row) => row.date))).toEqual(new Set(["2026-11-01"]));
});

test("each value that breaks its field's rule quarantines its row alone, and says so", async () => {
  expect(await quarantined("wrong")).toMatchObject(
    WRONG.map(([, , reason], n) => ({ payload: WRONG_ROWS[n], reason, index: n + 1 })),
  );
  expect(await liveIds(world, "wrong")).toEqual(["wrong-first", "wrong-last"]);
});

test("new fields are kept, and told once a run by their names", async () => {
  const warnings = (await world.log())
    .split("\n")
    .filter((line) => line.includes("the service has new fields"));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain("transactions.loyalty");
  expect(warnings[0]).not.toContain("points");
  await expectLakeEqualsTruth(world, ["new-a", "new-b"]);
});

test("lone surrogates become U+FFFD in texts and quarantine ids", async () => {
  const rows = await rowsOf("surrogates", "description, raw_description");
  expect(rows.map(({ description, raw_description }) => [description, raw_description])).toEqual([
    ["🥐 café \\ud800", null],
    ["x\ufffdy\ufffd", "\ufffd"],
  ]);
  const bad = await quarantined("surrogates");
  expect(bad.map(({ list, reason }) => [list, reason])).toEqual([
    ["created", "transaction_id: has a lone surrogate"],
    ["created", "account_id: has a lone surrogate"],
    ["removed", "has a lone surrogate"],
  ]);
  expect(bad[2]?.payload).toBe('"gone\\ud800"');
});

test("a repeated key in a row, which SQL refuses, costs that row alone", async () => {
  const bad = await quarantined("repeated");
  expect(bad.map(({ payload, reason }) => [payload, reason])).toEqual(
    expect.arrayContaining([REPEATED, REPEATED_DEEP].map((row) => [row, "a key appears twice"])),
  );
  const live = await liveIds(world, "repeated");
  expect(live).toEqual(expect.arrayContaining(["repeated-first", "repeated-last"]));
  expect(live.length + bad.length).toBe(5);
});

test.each(Object.keys(ENVELOPES))(
  "a repeated key of the envelope fails the link, and never loads other rows than were read: %s",
  async (link) => {
    expect((await linkSync(world, runId, link))?.reason).toMatch(/^schema /);
    expect(await feedOf(world, link)).toEqual([]);
  },
);

test("awkward texts come through as they are: NUL, quotes, line ends, percent, long ones", async () => {
  expect((await rowsOf("texts")).map(({ description }) => description)).toEqual(TEXTS);
  await expectLakeEqualsTruth(world, ["texts"]);
});

test.each(["deep-beside-bad", "deep"])(
  "a page nested too deep to cut anything out of fails its link alone: %s",
  async (link) => {
    expect(await linkSync(world, runId, link)).toMatchObject({ reason: "schema body: nested too deep" });
  },
);

test("ids with quotes, spaces, unicode and NUL are keys like any other", async () => {
  expect(await liveIds(world, "odd-ids")).toHaveLength(IDS.length);
  world.sandbox.append(
    "odd-ids",
    IDS.map((id) => removed(id)),
  );
  await world.sync({ users: ["fp_odd-ids"] });
  expect(await liveIds(world, "odd-ids")).toEqual([]);
  expect(await feedOf(world, "odd-ids")).toHaveLength(IDS.length * 2);
});
