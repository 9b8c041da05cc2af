import { expect, test } from "vitest";
import type { Fault, Sandbox } from "../../../sandbox/index.js";
import type { SyncSummary } from "../../../src/domain/sync/sync-summary.js";
import { expectLakeEqualsTruth } from "../lake/lake-truth.js";
import { addLink, feedOf, liveIds, syncCalls } from "./scripted-links.js";
import type { Row, RunChoice, SyncWorld } from "./sync-harness.js";

type Expected = Readonly<Record<string, unknown>>;
type Calls = ReturnType<typeof syncCalls>;

/** What a link goes through in nights that it shares with others: each costs as much as for one link. */
export interface LinkStory {
  /** Rows that it begins with: `<link>-0000`, … */
  readonly rows?: number;
  /** Left out: a user of its own. */
  readonly user?: string;
  /** Left out of the end: nights in which nothing is expected. */
  readonly nights: readonly LinkNight[];
  /** Its feed after the last night, as `feedOf` says it. */
  readonly feed?: readonly string[];
  /** Ids of its rows in `transactions` after the last night. */
  readonly live?: readonly string[];
}

interface LinkNight {
  readonly change?: (sandbox: Sandbox, link: string) => void;
  readonly faults?: readonly Fault[];
  /** What its row of `link_syncs` has, by that of the night before. */
  readonly row?: Expected | ((before: Row) => Expected);
  /** How many calls, or what is expected of them. */
  readonly calls?: number | ((calls: Calls) => void);
  /** Its rows of this night are not taken. */
  readonly fails?: true;
}

interface PlayedNight {
  readonly result: SyncSummary;
  readonly rows: ReadonlyMap<string, Row>;
  readonly calls: ReadonlyMap<string, Calls>;
  readonly operations: Readonly<Record<string, number>>;
}

/** Plays all stories in one world, a night for each choice, and compares the lake with the truth after each. */
export async function playNights(
  world: SyncWorld,
  stories: Readonly<Record<string, LinkStory>>,
  choices: readonly RunChoice[],
): Promise<PlayedNight[]> {
  const { sandbox } = world;
  for (const [link, { rows = 0, user }] of Object.entries(stories))
    addLink(world, link, rows, user ?? `fp_${link}`);
  const played: PlayedNight[] = [];
  for (const [night, choice] of choices.entries()) {
    sandbox.clearFaults();
    sandbox.clearRequests();
    for (const [link, { nights }] of Object.entries(stories)) {
      nights[night]?.change?.(sandbox, link);
      for (const fault of nights[night]?.faults ?? []) sandbox.addFault({ ...fault, link });
    }
    const { runId, result } = await world.sync(choice);
    const rows = await world.rows(`select * from link_syncs where run_id = '${runId}'`);
    played.push({
      result,
      rows: new Map(rows.map((row) => [String(row.link_id), row])),
      calls: new Map(Object.keys(stories).map((link) => [link, syncCalls(world, link)])),
      operations: sandbox.calls().by_operation,
    });
    const failed = Object.keys(stories).filter((link) => stories[link]?.nights[night]?.fails);
    await expectLakeEqualsTruth(
      world,
      Object.keys(stories).filter((link) => !failed.includes(link)),
    );
  }
  return played;
}

/** One test a story: what each night came to for its link. */
export function testStories(
  stories: Readonly<Record<string, LinkStory>>,
  played: () => { readonly world: SyncWorld; readonly nights: readonly PlayedNight[] },
): void {
  test.each(Object.keys(stories))("%s", async (link) => {
    const { world, nights } = played();
    const { nights: expected, feed, live } = stories[link] as LinkStory;
    for (const [night, { row, calls }] of expected.entries()) {
      const found = nights[night]?.rows.get(link);
      const before = nights[night - 1]?.rows.get(link) ?? {};
      const label = `night ${night + 1}`;
      if (row !== undefined)
        expect(found, label).toMatchObject(typeof row === "function" ? row(before) : row);
      const asked = nights[night]?.calls.get(link) ?? [];
      if (typeof calls === "number") expect(asked, label).toHaveLength(calls);
      else calls?.(asked);
    }
    if (feed !== undefined) expect(await feedOf(world, link)).toEqual(feed);
    if (live !== undefined) expect(await liveIds(world, link)).toEqual(live);
  });
}
