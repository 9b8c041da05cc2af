import { expect, test } from "vitest";
import { DAY, HOUR } from "../../../../src/domain/duration.js";
import { readPage } from "../../../helpers/board/read-page.js";
import { eachFile } from "../../../helpers/each-test.js";
import { lakeOfRows } from "../../../helpers/query/lake-of-rows.js";

const HOSTILE = '<img src=x onerror="alert(1)">';
const today = Math.floor(Date.now() / DAY) * DAY;
const at = (days: number, hours = 0) => new Date(today - days * DAY + hours * HOUR).toISOString();
const day = (days: number) => at(days).slice(0, 10);
const sync = (
  link_id: string,
  days: number,
  status: string,
  more: Readonly<Record<string, unknown>> = {},
) => ({
  ...{ run_id: `run-${days}`, link_id, fp_id: "fp_1", status, finished_at: at(days) },
  ...more,
});
const EXPIRED = { reason: "state error auth_expired" };

interface Model {
  readonly days: readonly string[];
  readonly total: number;
  readonly turns: object;
  readonly older: number;
  readonly matching: number;
  readonly links: readonly { readonly link_id: string; readonly nights: readonly object[] }[];
}

const crowd = Array.from({ length: 110 }, (_, place) => sync(`crowd-${place}`, 0, "unchanged"));
const lake = eachFile(() =>
  lakeOfRows({
    link_syncs: [
      ...[sync("good", 2, "synced", { created: 2, updated: 1 }), sync("good", 1, "unchanged")],
      // Of a night's runs the one with news counts; without a commit, the last.
      ...[sync("good", 0, "synced", { created: 1 }), sync("good", 0, "unchanged", { finished_at: at(0, 1) })],
      ...[sync(HOSTILE, 29, "synced", { removed: 1 }), sync(HOSTILE, 2, "skipped", EXPIRED)],
      ...[
        sync(HOSTILE, 1, "skipped", EXPIRED),
        sync(HOSTILE, 1, "failed", { reason: "cursor_loop", finished_at: at(1, 2) }),
      ],
      ...[sync(HOSTILE, 0, "skipped", { ...EXPIRED, fp_id: "fp_2" })],
      ...[sync("ours", 4, "synced"), sync("ours", 0, "failed", { reason: "staged_page_gone" })],
      sync("of an old roster", 30, "synced"),
      ...crowd,
    ],
    bank_links: [{ fp_id: "fp_1", link_id: "good", institution_name: HOSTILE, observed_at: at(2) }],
  }),
);
const read = (path: string) => readPage<Model>(lake, path);

test("the worst link is on top, each night once, and counts are of all links that were found in these nights", async () => {
  const { model } = await read("/links");
  expect([model.days[0], model.days.at(-1), model.days.length]).toEqual([day(29), day(0), 30]);
  expect([model.total, model.older, model.matching, model.links.length]).toEqual([113, 1, 113, 52]);
  expect(model.turns).toEqual({ customer: 1, bank: 0, service: 0, us: 1 });
  expect(model.links.slice(0, 2).map(({ link_id }) => link_id)).toEqual([HOSTILE, "ours"]);
  expect(model.links[0]).toMatchObject({
    ...{ turn: "customer", last_reason: EXPIRED.reason, action: "ask the customer to reconnect the bank" },
    nights: [
      { day: day(29), state: "news", changed: 1, reason: null },
      { day: day(2), state: "skipped", changed: 0, reason: EXPIRED.reason },
      { day: day(1), state: "failed", changed: 0, reason: "cursor_loop" },
      { day: day(0), state: "skipped", changed: 0, reason: EXPIRED.reason },
    ],
  });
});

test("links stand in groups by whose turn it is, the worst on top of each, and a crowded group hides no other", async () => {
  const { body } = await read("/links");
  const titles = [...body.html.matchAll(/<h2[^>]*>([^<]*)</g)].map(([, title]) => title);
  expect(titles).toEqual([
    "The last 30 nights",
    ...["The customer&#39;s turn: 1 link", "Our turn: 1 link", "Nobody&#39;s turn: 111 links"],
  ]);
  expect(body.html).toContain("61 more match");
  const asked = await read("/links?turn=us");
  expect(asked.body.html.match(/<h2/g)).toHaveLength(2);
  const crowd = await read("/links?text=crowd");
  expect([crowd.model.matching, crowd.model.links.length]).toEqual([110, 50]);
});

test("filters narrow the links and not the counts; every text of data is only escaped", async () => {
  const { model } = await read("/links?text=GOO");
  expect([model.total, model.matching]).toEqual([113, 1]);
  expect(model.links[0]?.nights).toEqual([
    { day: day(2), state: "news", changed: 3, reason: null },
    { day: day(1), state: "unchanged", changed: 0, reason: null },
    { day: day(0), state: "news", changed: 1, reason: null },
  ]);
  expect((await read("/links?turn=us")).model.links.map(({ link_id }) => link_id)).toEqual(["ours"]);
  expect((await read("/links?text=%27%3B--")).model.links).toEqual([]);
  const { html } = (await read(`/links?text=${encodeURIComponent(HOSTILE.slice(0, 9))}`)).body;
  expect(html).not.toContain("<img");
  expect(html).toContain(`<title>${day(1)}: failed: cursor_loop</title>`);
  expect(html).toContain('aria-label="30 nights: 1 committed with news, 2 skipped, 1 failed, 26 not run"');
});
