import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY, HOUR } from "../../../../src/domain/duration.js";
import { runHere } from "../../../helpers/command/command-here.js";
import { lakeOfRows } from "../../../helpers/query/lake-of-rows.js";

const USERS = 4;
const LINKS = 12;
const LISTS = 2;
const PAGE_SIZE = 50;
/** Rows that each night brought each link: the first everything, and the fifth much news. */
const ROWS = [240, 30, 30, 30, 300, 30, 30, 30];
const TONIGHT = ROWS.length;
const STREAMS = ["transactions", "accounts", "bank_links"];
const OPTIONS = JSON.stringify({ streams: STREAMS, links: null, full: false, pageSize: PAGE_SIZE });

const pagesOf = (rows: number) => Math.ceil(rows / PAGE_SIZE);
const at = (night: number) => new Date(Date.now() - (TONIGHT - night) * DAY - HOUR).toISOString();

/** Of the rows of an update most are created, and the others change or remove earlier ones. */
const changes = (rows: number, night: number) =>
  night === 0
    ? { created: rows, updated: 0, removed: 0 }
    : { created: rows - 15, updated: 10, removed: 5, quarantined: 0 };

let lake: Awaited<ReturnType<typeof lakeOfRows>>;
beforeAll(async () => {
  lake = await lakeOfRows({
    runs: ROWS.map((rows, night) => ({
      ...{ run_id: `sync-${night}`, kind: "sync", status: "completed", users: USERS, options: OPTIONS },
      ...{ started_at: at(night), finished_at: at(night) },
      ...{ pages: LINKS * pagesOf(rows), calls: USERS * LISTS + LINKS * pagesOf(rows) },
    })),
    link_syncs: ROWS.flatMap((rows, night) =>
      Array.from({ length: LINKS }, (_, link) => ({
        ...{ run_id: `sync-${night}`, link_id: `l${link}`, fp_id: `u${link % USERS}`, status: "synced" },
        ...{ certificate: "c", cursor_in: night === 0 ? null : "c", pages: pagesOf(rows) },
        ...{ ...changes(rows, night), started_at: at(night), finished_at: at(night) },
      })),
    ),
  });
  const roster = Array.from({ length: USERS }, (_, user) => `u${user}`);
  await writeFile(join(lake.directory, "users.csv"), ["fp_id", ...roster, ""].join("\n"));
});
afterAll(() => lake?.release());

async function plan(...args: readonly string[]): Promise<string> {
  const api = { NIGHTLEDGER_API_URL: "http://127.0.0.1:1", NIGHTLEDGER_API_KEY: "sk_test_1" };
  const folder = { directory: lake.directory, env: { NIGHTLEDGER_LAKE: lake.directory, ...api } };
  return (await runHere(folder, ["plan", ...args])).stdout;
}

const ALL_ROWS = ROWS.reduce((sum, rows) => sum + rows, 0);
const SAME = ["--page-size", String(PAGE_SIZE)];
const full = (size: number) => LINKS * Math.ceil(ALL_ROWS / size);

// Only these find a plan that is learnt from pages of other streams or sizes, of first readings, or of the one loud night.
test.for([
  ["a usual night after a loud one", SAME, { pages: 12, calls: 20, between: [20, 80], nights: 7 }],
  ["small pages", ["--page-size", "10"], { pages: 36, calls: 44, between: [44, 8 + 360], nights: 7 }],
  ["large pages", ["--page-size", "500"], { pages: 12, calls: 20, between: [20, 20], nights: 7 }],
  [
    "everything again",
    [...SAME, "--full"],
    { pages: full(50), calls: 8 + full(50), between: null, nights: null },
  ],
  ["in large pages", ["--full"], { pages: full(500), calls: 8 + full(500), between: null, nights: null }],
  ["one list", ["--streams", "accounts"], { pages: 0, calls: USERS, between: null, nights: 0 }],
  ["pages alone", [...SAME, "--streams", "transactions"], { pages: 12, calls: USERS + 12, nights: 0 }],
  ["links' lists", ["--streams", "securities"], { pages: 0, calls: USERS + LINKS, nights: 0 }],
  [
    "accounts of a link",
    ["--streams", "accounts", "--links", "l1"],
    { pages: 0, calls: USERS + 1, nights: 0 },
  ],
] as const)("a plan after a stretch of nights: %s", async ([, options, forecast]) => {
  const stdout = await plan("--json", "sync", "--roster", "users.csv", ...options);
  expect(JSON.parse(stdout).forecast).toMatchObject(forecast);
});

test("the range is said of the nights that it is made from, and too few nights say so", async () => {
  const words = async (...options: readonly string[]) => plan("sync", "--roster", "users.csv", ...options);
  expect(await words(...SAME)).toContain(
    "about 20 for 12 pages; between 20 and 80, as each of the last 7 nights was for as many users",
  );
  expect(await words("--streams", "accounts")).toContain(
    "about 4 for 0 pages; too few nights like this one tell how far it may be off",
  );
});
