import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { eachFile } from "../../helpers/each-test.js";
import { lakeOfRows, type QueryRow } from "../../helpers/query/lake-of-rows.js";

type Example = readonly [heading: string, sql: string, result: QueryRow[] | undefined];

/** The statements of a page, each with the heading above it and the result below it. */
async function examples(path: string): Promise<Example[]> {
  const page = await readFile(new URL(`../../../${path}`, import.meta.url), "utf8");
  const found = page.matchAll(/^```sql\n(.*?)^```(?:\n\n```json\n(.*?)^```)?/gms);
  return [...found].flatMap(([, sql = "", json], at): Example[] => {
    if (sql.includes("delta_scan")) return [];
    return [[`${path} ${at + 1}`, sql, json === undefined ? undefined : (JSON.parse(json) as QueryRow[])]];
  });
}

/** The statements that a page gives to `nightledger query`. */
async function commands(path: string): Promise<Example[]> {
  const page = await readFile(new URL(`../../../${path}`, import.meta.url), "utf8");
  const found = page.matchAll(/nightledger query (?:--json )?"([^"…]+)"/g);
  return [...found].map(([, sql = ""], at) => [`${path}, command ${at + 1}`, sql, undefined]);
}

const RECIPES = await examples("docs/use/recipes.md");
const OTHERS = (
  await Promise.all([
    ...["use/tables", "use/reconcile", "use/onboarding", "run/schedules"].map((page) =>
      examples(`docs/${page}.md`),
    ),
    ...["README.md", "docs/use/first-sync.md", "docs/use/recipes.md"].map(commands),
  ])
).flat();

const FIRST = "sync-20261120T021500Z-aaaaaa";
const SECOND = "sync-20261121T021500Z-bbbbbb";
const AT = { [FIRST]: "2026-11-20T02:15:00Z", [SECOND]: "2026-11-21T02:15:00Z" };
const ENDED = { [FIRST]: "2026-11-20T02:16:00Z", [SECOND]: "2026-11-21T02:16:00Z" };

const change = (run_id: keyof typeof AT, link_id: string, sequence: number, id: string, values: object) => ({
  ...{ run_id, link_id, sequence, transaction_id: id, generation: 1, fetched_at: AT[run_id] },
  ...{ fp_id: link_id.replace("link", "fp"), account_id: link_id.replace("link", "acc") },
  ...{ change_type: "created", inferred: false, currency: "EUR", type: "debit", pending: false },
  ...values,
});
const coffee = { amount: "12.34", signed_amount: "-12.34", date: "2026-11-18", description: "Coffee" };
const salary = { amount: "100", signed_amount: "100", date: "2026-11-01", description: "Salary" };
const tram = { amount: "7", signed_amount: "-7", date: "2026-11-19", pending: true, description: "Tram" };
const books = { amount: "5", signed_amount: "-5", currency: "USD", date: "2026-11-20", description: "Books" };
const old = { amount: "1", signed_amount: "1", date: "2026-10-31", description: "October" };
const lunch = { amount: "8.5", signed_amount: "-8.5", description: "Lunch" };
const taxi = { amount: "30", signed_amount: "-30", date: "2026-11-19", pending: true, description: "Taxi" };
const removal = { change_type: "removed", currency: null, pending: null };
const FEED = [
  change(FIRST, "link_1", 1, "t1", coffee),
  change(FIRST, "link_1", 2, "t2", salary),
  change(FIRST, "link_1", 3, "t3", tram),
  change(SECOND, "link_1", 4, "t4", books),
  change(SECOND, "link_1", 5, "t3", removal),
  change(FIRST, "link_2", 1, "t1", old),
  change(FIRST, "link_2", 2, "t5", { ...tram, description: "Lunch" }),
  change(FIRST, "link_2", 3, "t7", taxi),
  change(FIRST, "link_2", 4, "t5", { ...removal, fetched_at: "2026-11-20T02:16:00Z" }),
  change(FIRST, "link_2", 5, "t6", { ...lunch, date: "2026-11-21" }),
  change(FIRST, "link_2", 6, "t7", removal),
  change(FIRST, "link_2", 7, "t8", { ...taxi, pending: false }),
];
const live = (row: (typeof FEED)[number]) => {
  const { change_type, inferred, ...rest } = row;
  return rest;
};
const linkSync = (run_id: keyof typeof AT, link_id: string, status: string, reason: string | null) => ({
  ...{ run_id, link_id, fp_id: link_id.replace("link", "fp"), status, reason, finished_at: ENDED[run_id] },
});
const seen = { run_id: FIRST, observed_at: AT[FIRST] };
const outcome = (line: number, attempt: number, status: string, started_at: string, settled_at: string) => ({
  ...{ batch_id: "onb_6c1f0e2ab9d84f7730c5a1de", line, attempt, version: 1, status, started_at, settled_at },
});

const ROWS: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = {
  transaction_changes: FEED,
  transactions: [FEED[0]!, FEED[1]!, FEED[3]!, FEED[5]!].map(live),
  runs: ([FIRST, SECOND] as const).map((run_id, at) => ({
    run_id,
    kind: "sync",
    status: "completed",
    started_at: AT[run_id],
    finished_at: ENDED[run_id],
    paused_ms: 0,
    calls: [20, 10][at],
  })),
  link_syncs: [
    linkSync(FIRST, "link_1", "synced", null),
    linkSync(FIRST, "link_2", "synced", null),
    linkSync(SECOND, "link_1", "synced", null),
    linkSync(SECOND, "link_2", "skipped", "state error auth_expired"),
  ],
  accounts: [
    {
      ...{ ...seen, fp_id: "fp_1", external_id: "C-1001", link_id: "link_1", account_id: "acc_1" },
      ...{ name: "Checking", closed: false },
      ...{ balance_current: "1300", balance_currency: "EUR", balance_date: "2026-11-20T06:00:00Z" },
    },
    {
      ...{ ...seen, fp_id: "fp_2", link_id: "link_2", account_id: "acc_2", name: "Savings" },
      ...{ balance_current: "80.5", balance_currency: "EUR" },
    },
    { ...seen, fp_id: "fp_2", link_id: "link_2", account_id: "acc_3", name: "Closed", closed: true },
  ],
  bank_links: [1, 2].map((number) => ({
    state: number === 1 ? "connected" : "deleted",
    ...{ ...seen, fp_id: `fp_${number}`, link_id: `link_${number}`, institution_name: "Example Bank" },
  })),
  quarantine: [
    {
      ...{ run_id: SECOND, stream: "transactions", fp_id: "fp_2", link_id: "link_2", page: 0, index: 0 },
      ...{ list: "created", reason: "amount: not a decimal string", fetched_at: AT[SECOND] },
      payload: '{"transaction_id": "t9", "amount": "5,00"}',
    },
  ],
  onboardings: [
    outcome(2, 1, "failed", "2026-11-20T09:00:00Z", "2026-11-20T09:00:10Z"),
    outcome(2, 2, "pass", "2026-11-21T09:00:00Z", "2026-11-21T09:00:30Z"),
    outcome(3, 1, "fail", "2026-11-20T09:00:00Z", "2026-11-20T09:01:30Z"),
  ],
};

const lake = eachFile(() => lakeOfRows(ROWS));

test.each(RECIPES)("%s gives the result that the page shows below it", async (_heading, sql, result) => {
  expect(result).toBeDefined();
  expect(await lake.rowsOf(sql)).toEqual(result);
});

test.each(OTHERS)("%s runs", async (_heading, sql) => {
  await lake.rowsOf(sql);
});

test("recipes have queries", () => {
  expect(RECIPES.length).toBeGreaterThan(7);
  expect(OTHERS.length).toBeGreaterThan(9);
});
