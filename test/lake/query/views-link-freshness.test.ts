import { expect, test } from "vitest";
import { turnOf } from "../../../src/domain/sync/link-obstacle.js";
import { rowsOver } from "../../helpers/query/lake-of-rows.js";
import { firstTable, section } from "../../repository/markdown.js";

/** A row of `link_syncs`: the link, the night, how it ended, why. */
function sync(link_id: string, night: number, status: string, more: Readonly<Record<string, unknown>> = {}) {
  const finished_at = new Date(Date.UTC(2026, 0, night, 2)).toISOString();
  return { run_id: `run-${night}`, link_id, fp_id: `fp_${link_id}`, status, finished_at, ...more };
}

const at = (night: number) => `2026-01-0${night}T02:00:00.000000Z`;

test("a link has its last commit, its last row, the nights since and whose turn it is", async () => {
  const tables = {
    link_syncs: [
      sync("fresh", 1, "failed", { reason: "gave_up http_503" }),
      sync("fresh", 2, "unchanged"),
      sync("fresh", 3, "synced", { finished_at: "2999-01-01T00:00:00Z" }),
      sync("never", 1, "not_ready", { reason: "no history yet" }),
      sync("never", 3, "skipped", { reason: "state error auth_expired" }),
      sync("once", 1, "synced"),
      sync("once", 2, "failed", { reason: "gave_up timeout" }),
      sync("once", 2, "failed", { reason: "gave_up timeout", finished_at: "2026-01-02T05:00:00Z" }),
      sync("once", 3, "failed", { reason: "resync_would_remove 9 of 10" }),
    ],
    bank_links: [
      { fp_id: "fp_once", link_id: "once", institution_name: "Old Bank", observed_at: at(1) },
      { fp_id: "fp_once", link_id: "once", institution_name: "New Bank", observed_at: at(2) },
    ],
  };
  const columns = "link_id, committed_at, nights, turn, last_status, last_reason, last_run_id, last_at";
  const sql = `select ${columns}, fp_id, institution_name, first_at,
    abs(age_s - epoch(now() - coalesce(committed_at, first_at))) < 60 as is_its_age
    from link_freshness order by link_id`;
  const known = { institution_name: null, first_at: at(1), is_its_age: true };
  expect(await rowsOver(tables, sql)).toEqual([
    {
      ...{ ...known, fp_id: "fp_fresh", link_id: "fresh", committed_at: at(2), nights: 0, turn: null },
      ...{ last_status: "unchanged", last_reason: null, last_run_id: "run-2", last_at: at(2) },
    },
    {
      ...{ ...known, fp_id: "fp_never", link_id: "never", committed_at: null, nights: 2, turn: "customer" },
      ...{ last_status: "skipped", last_reason: "state error auth_expired" },
      ...{ last_run_id: "run-3", last_at: at(3) },
    },
    {
      ...{ ...known, fp_id: "fp_once", link_id: "once", committed_at: at(1), nights: 2, turn: "us" },
      ...{ last_status: "failed", last_reason: "resync_would_remove 9 of 10" },
      ...{ last_run_id: "run-3", last_at: at(3), institution_name: "New Bank" },
    },
  ]);
});

test("a link under two users has one row, under the user whose reading was committed", async () => {
  const later = "2026-01-01T02:00:05Z";
  const tables = {
    link_syncs: [
      sync("a", 1, "synced", { fp_id: "fp_1" }),
      sync("a", 1, "superseded", { fp_id: "fp_2", reason: "run-1", finished_at: later }),
    ],
    bank_links: [
      { fp_id: "fp_1", link_id: "a", observed_at: at(1) },
      { fp_id: "fp_2", link_id: "a", observed_at: at(1) },
      { fp_id: "fp_2", link_id: "a", observed_at: at(2), gone: true },
    ],
  };
  expect(
    await rowsOver(tables, "select fp_id, link_id, nights, turn, last_status from link_freshness"),
  ).toEqual([{ fp_id: "fp_1", link_id: "a", nights: 0, turn: null, last_status: "superseded" }]);
});

test("of two rows of one instant the one with a commit is the last, in either order", async () => {
  const rows = [sync("a", 1, "synced"), sync("a", 1, "failed", { reason: "gave_up http_503" })];
  for (const link_syncs of [rows, rows.toReversed()]) {
    const found = await rowsOver({ link_syncs }, "select last_status, nights, turn from link_freshness");
    expect(found).toEqual([{ last_status: "synced", nights: 0, turn: null }]);
  }
});

test("deleted links and those that are not listed any more are left out; one that came back is there", async () => {
  const link = (link_id: string, night: number, gone?: boolean) => ({
    ...{ fp_id: `fp_${link_id}`, link_id, observed_at: at(night), ...(gone && { gone }) },
  });
  const tables = {
    link_syncs: [
      sync("deleted", 1, "skipped", { reason: "state deleted" }),
      sync("went", 1, "synced"),
      sync("went", 2, "skipped", { reason: "link_gone" }),
      sync("unlisted", 1, "synced"),
      sync("back", 1, "synced"),
    ],
    bank_links: [link("unlisted", 1), link("unlisted", 2, true), link("back", 1, true), link("back", 2)],
  };
  expect(await rowsOver(tables, "select link_id from link_freshness")).toEqual([{ link_id: "back" }]);
});

/** Every reason of docs/run/errors.md, as a link that has ended so. */
const REASONS = [
  ...["auth_expired", "invalid_credentials", "user_error", "user_input_incorrect", "user_oauth_denied"],
  ...["user_setup_required", "incomplete", "no_accounts", "institution_error", "provider_error"],
  ...["system_error", "brand_new"],
].map((code) => `state error ${code}`);
const SKIPPED = [...REASONS, "state connecting", "state error", "state archived"];

test("a skipped link is whose turn the summary of the sync says", async () => {
  const link_syncs = SKIPPED.map((reason) => sync(reason, 1, "skipped", { reason }));
  const found = await rowsOver({ link_syncs }, "select last_reason, turn from link_freshness");
  const expected = SKIPPED.map((reason) => {
    const turn = turnOf(reason);
    return { last_reason: reason, turn: turn === "operator" || turn === "app" ? "us" : turn };
  });
  expect(found).toHaveLength(SKIPPED.length);
  expect(found).toEqual(expect.arrayContaining(expected));
});

const FAILED = [
  ["service", "gave_up http_429"],
  ["service", "cursor_loop"],
  ["service", "refused http_400"],
  ["service", "update_refused http_409 after 5 restarts"],
  ["service", "every_row_bad 3"],
  ["service", "resync_without_cursor"],
  ["service", "schema transactions.created"],
  ["us", "resync_would_remove 9 of 10"],
  ["us", "staged_page_gone"],
  ["us", "staged_page_torn after 5 restarts"],
  ["us", null],
] as const;

test("a failed link is the service's turn where the service has to change, else ours", async () => {
  const link_syncs = FAILED.map(([, reason], place) => sync(`link_${place}`, 1, "failed", { reason }));
  const found = await rowsOver({ link_syncs }, "select turn, last_reason from link_freshness");
  expect(found).toHaveLength(FAILED.length);
  expect(found).toEqual(expect.arrayContaining(FAILED.map(([turn, last_reason]) => ({ turn, last_reason }))));
  const documented = firstTable(section("docs/run/errors.md", "Reasons of a link"))
    .filter(([, status]) => status === "failed")
    .flatMap(([codes = ""]) => [...codes.matchAll(/`(\w+)/g)].map(([, code]) => code));
  const tried = FAILED.map(([, reason]) => reason?.split(" ")[0]);
  expect(documented.filter((code) => !tried.includes(code))).toEqual([]);
});

test("a link is stale after three days without a commit, unless no run has found it for a month", async () => {
  const day = 24 * 60 * 60 * 1000;
  const ago = (link_id: string, status: string, days: number) =>
    sync(link_id, 1, status, { finished_at: new Date(Date.now() - days * day).toISOString() });
  const link_syncs = [
    ...[ago("fresh", "synced", 2), ago("fresh", "failed", 1)],
    ...[ago("stale", "synced", 4), ago("stale", "failed", 1)],
    ago("never", "not_ready", 5),
    ago("left", "synced", 40),
  ];
  const rows = await rowsOver({ link_syncs }, "select link_id from stale_links order by link_id");
  expect(rows.map(({ link_id }) => link_id)).toEqual(["never", "stale"]);
});

test("links of a person who was forgotten are nobody's turn: they are left out until a sync reads them again", async () => {
  const link_syncs = ["gone", "again", "kept"].map((id) => sync(id, 1, "synced"));
  const erased = (id: string, night: number, state: string) => ({
    ...{ fp_id: `fp_${id}`, state, recorded_at: at(night) },
  });
  const erasures = [
    erased("gone", 2, "forgotten"),
    erased("again", 2, "forgotten"),
    erased("again", 3, "again"),
  ];
  const found = await rowsOver(
    { link_syncs, erasures },
    "select link_id from link_freshness order by link_id",
  );
  expect(found).toEqual([{ link_id: "again" }, { link_id: "kept" }]);
});
