import { expect, test } from "vitest";
import { readPage } from "../../../helpers/board/read-page.js";
import { eachFile } from "../../../helpers/each-test.js";
import { lakeOfRows } from "../../../helpers/query/lake-of-rows.js";

const LINK = '<img src=x onerror="alert(1)">';
const HASH = "c0ffee".repeat(10);
const at = (night: number) => `2026-01-0${night}T02:00:00.000000Z`;
const sync = (night: number, status: string, more: Readonly<Record<string, unknown>> = {}) => ({
  ...{ run_id: `sync-${night}`, link_id: LINK, fp_id: "fp_1", status, finished_at: at(night) },
  ...more,
});
const bad = (night: number, index: number) => ({
  ...{
    run_id: `sync-${night}`,
    stream: "transactions",
    fp_id: "fp_1",
    link_id: LINK,
    list: "created",
    page: 1,
    index,
  },
  ...{
    reason: "amount: expected digits",
    payload: '{"transaction_id": "tx_private-7"}',
    fetched_at: at(night),
  },
});

interface Model {
  readonly runs: { readonly total: number; readonly rows: readonly { readonly run_id: string }[] };
}

const lake = eachFile(() =>
  lakeOfRows({
    bank_links: [
      {
        fp_id: "fp_1",
        link_id: LINK,
        institution_name: "Old <b>Bank</b>",
        state: "connected",
        observed_at: at(1),
      },
      {
        fp_id: "fp_1",
        link_id: LINK,
        institution_name: "Bank",
        state: "error",
        error_code: "auth_expired",
        observed_at: at(3),
      },
      { fp_id: "fp_2", link_id: LINK, state: "connected", observed_at: at(1), gone: true },
    ],
    link_syncs: [
      sync(1, "synced", { certificate: HASH, pages: 2, created: 7 }),
      sync(2, "failed", { reason: "resync_would_remove 30 of 40" }),
      ...[
        sync(3, "skipped", { reason: "state error auth_expired" }),
        sync(4, "skipped", { reason: "state error auth_expired" }),
      ],
      sync(4, "synced", { link_id: "other" }),
    ],
    quarantine: [
      ...Array.from({ length: 22 }, (_, index) => bad(1, index)),
      { ...bad(1, 99), link_id: "other" },
    ],
  }),
);
const read = (link: string) => readPage<Model>(lake, `/links/${encodeURIComponent(link)}`);

test("a link has its users, every run, what kept it from being committed, and what to do", async () => {
  const { model } = await read(LINK);
  expect(model).toMatchObject({
    listed: [
      { fp_id: "fp_1", institution_name: "Bank", state: "error", error_code: "auth_expired", gone: false },
      { fp_id: "fp_2", gone: true },
    ],
    freshness: { committed_at: at(1), nights: 3, turn: "customer" },
    findings: [
      {
        status: "skipped",
        count: 2,
        examples: ["sync-4", "sync-3"],
        action: "ask the customer to reconnect the bank",
      },
      { status: "failed", count: 1, reason: "resync_would_remove 30 of 40" },
    ],
    bad_rows: { total: 22 },
  });
  expect(model.runs.rows.map(({ run_id }) => run_id)).toEqual(["sync-4", "sync-3", "sync-2", "sync-1"]);
});

test("the page shows certificates whole in their titles, commands that fit, and texts of data only escaped", async () => {
  const { html } = (await read(LINK)).body;
  expect(html).toContain(`<code title="${HASH}">${HASH.slice(0, 12)}…</code>`);
  expect(html).toContain("sync --roster &lt;file&gt; --full --links &#39;&lt;img src=x");
  expect(html.match(/quarantine resolve --row \w+ --reason/g)).toHaveLength(20);
  expect(html).toContain("2 more. ");
  expect(html).not.toContain("<img");
});

test("a link that the lake does not know is refused", async () => {
  await expect(read("nobody's")).rejects.toThrow("is not in this lake");
});

test("what a bad row says, its transaction too, is masked on the page and in its model", async () => {
  const { model, body } = await read(LINK);
  const masked = { transaction_id: "xx_xxxxxxx-0", masked: '{"transaction_id": "xx_xxxxxxx-0"}' };
  expect(model).toMatchObject({ bad_rows: { rows: Array.from({ length: 20 }, () => masked) } });
  expect(JSON.stringify(model) + body.html).not.toContain("private");
});
