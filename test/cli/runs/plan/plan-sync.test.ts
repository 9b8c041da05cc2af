import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DAY } from "../../../../src/domain/duration.js";
import { runHere } from "../../../helpers/command/command-here.js";
import { lakeOfRows } from "../../../helpers/query/lake-of-rows.js";

const USERS = 20;
const LINKS = 60;
const LISTS = 3;
/** Calls of a link whose bank is down until the run gives it up. */
const TRIES = 8;
const CONNECTING = { status: "skipped", reason: "state connecting", certificate: null, pages: 0 };
const FAILED = { status: "failed", reason: "gave_up", certificate: null, pages: 0 };
const STREAMS = ["transactions", "accounts", "bank_links"];
const OPTIONS = JSON.stringify({ streams: STREAMS, links: null, full: false, pageSize: 500 });

/** The same numbers for the same seeds, between 0 and 1. */
const random = (...seeds: readonly number[]) => {
  const mixed =
    Math.sin(seeds.reduce((sum, seed, at) => sum + seed * (at * 78.233 + 12.9898), 0)) * 43_758.5453;
  return mixed - Math.floor(mixed);
};

interface Outcome {
  readonly status: string;
  readonly reason: string | null;
  readonly certificate: string | null;
  readonly pages: number;
}

/** What a night brings a link: much on each third day of a week, a tenth of the links still connect, and one night no bank answers. */
function outcomeOf(night: number, link: number, down: number): Outcome {
  if (night === down) return FAILED;
  if (night > 0 && random(night, link, 1) < 0.1) return CONNECTING;
  const pages = night === 0 ? 20 : night % 7 === 2 ? 4 : random(night, link) < 0.7 ? 1 : 2;
  const isQuiet = night > 0 && pages === 1;
  return { status: isQuiet ? "unchanged" : "synced", reason: null, certificate: isQuiet ? null : "c", pages };
}

const nightOf = (night: number, down: number) =>
  Array.from({ length: LINKS }, (_, link) => ({ link, ...outcomeOf(night, link, down) }));
const pagesOf = (night: number, down: number) =>
  nightOf(night, down).reduce((sum, { pages }) => sum + pages, 0);
const callsOf = (night: number, down: number) =>
  USERS * LISTS + pagesOf(night, down) + (night === down ? LINKS * TRIES : 0);

/** The lake as it is before a night; that night is now. */
async function lakeBefore(tonight: number, down: number) {
  const nights = Array.from({ length: tonight }, (_, night) => night);
  // At this time of day: an hour before, shortly after midnight, each would be of another weekday.
  const at = (night: number) => new Date(Date.now() - (tonight - night) * DAY).toISOString();
  const run = { kind: "sync", status: "completed", users: USERS, options: OPTIONS };
  return lakeOfRows({
    runs: nights.map((night) => ({
      ...{ ...run, run_id: `sync-${night}`, started_at: at(night), finished_at: at(night) },
      ...{ calls: callsOf(night, down), pages: pagesOf(night, down) },
    })),
    link_syncs: nights.flatMap((night) =>
      nightOf(night, down).map(({ link, ...outcome }) => ({
        ...{ run_id: `sync-${night}`, link_id: `l${link}`, fp_id: `u${link % USERS}`, ...outcome },
        ...{ cursor_in: night === 0 ? null : "c", created: 0, updated: 0, removed: 0 },
        ...{ started_at: at(night), finished_at: at(night) },
      })),
    ),
  });
}

interface Planned {
  readonly forecast: { readonly calls: number; readonly between: readonly [number, number] | null };
}

async function planBefore(tonight: number, down: number): Promise<Planned["forecast"]> {
  const lake = await lakeBefore(tonight, down);
  try {
    const roster = Array.from({ length: USERS }, (_, user) => `u${user}`);
    await writeFile(join(lake.directory, "users.csv"), ["fp_id", ...roster, ""].join("\n"));
    const api = { NIGHTLEDGER_API_URL: "http://127.0.0.1:1", NIGHTLEDGER_API_KEY: "sk_test_1" };
    const folder = { directory: lake.directory, env: { NIGHTLEDGER_LAKE: lake.directory, ...api } };
    const { stdout } = await runHere(folder, ["plan", "--json", "sync", "--roster", "users.csv"]);
    return (JSON.parse(stdout) as Planned).forecast;
  } finally {
    await lake.release();
  }
}

// Each night was said to be as the last one on which something came: a dear Wednesday made a dear Thursday of every plan.
test.for([28, 29, 30, 31, 32, 33, 34])(
  "a plan of night %i is within a fifth of what it costs: by weekday, with links that come back, after a night without a bank",
  async (tonight) => {
    const down = 33;
    const [planned, made] = [await planBefore(tonight, down), callsOf(tonight, -1)];
    expect(Math.abs(planned.calls - made) / made).toBeLessThanOrEqual(0.2);
    const [low = 0, high = 0] = planned.between ?? [];
    expect(low).toBeLessThanOrEqual(planned.calls);
    expect(high).toBeGreaterThanOrEqual(planned.calls);
  },
);

test("a plan says between what it may lie once there are nights to compare, and nothing before", async () => {
  expect((await planBefore(3, -1)).between).toBeNull();
  expect((await planBefore(8, -1)).between).toEqual([expect.any(Number), expect.any(Number)]);
});
