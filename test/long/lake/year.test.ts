import "./days-later.js";
import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY } from "../../../src/domain/duration.js";
import { openLake } from "../../../src/lake/lake.js";
import { maintain } from "../../../src/lake/maintain/maintain.js";
import { TABLES } from "../../../src/tables.js";
import { eachFile } from "../../helpers/each-test.js";
import { addLink, created, removed } from "../../helpers/sync/scripted-links.js";
import { openSyncWorld } from "../../helpers/sync/sync-harness.js";
import { verified } from "../../helpers/tampering/verified.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";
import { dateFiles, liveLater } from "./days-later.js";

/** More by NIGHTLEDGER_YEAR_NIGHTS. */
const NIGHTS = Number(process.env.NIGHTLEDGER_YEAR_NIGHTS ?? 42);
const WEEK = 7;
const temporal = sharedTemporal();
const world = eachFile(() => openSyncWorld(temporal));

beforeAll(async () => {
  for (let link = 0; link < 4; link += 1) addLink(world, `link_${link}`, 20, `fp_${link}`);
});
afterAll(async () => {
  liveLater(0);
  await temporal.stop();
});

async function dataFiles(): Promise<number> {
  const names = await readdir(world.lake, { recursive: true });
  return names.filter((name) => /^[a-z][^/]*\/[^/_]+\.parquet$/.test(name)).length;
}

test(
  `${NIGHTS} nights with upkeep each week: there are as many files, and every certificate is proved`,
  async () => {
    const weeks: number[] = [];
    for (let night = 1; night <= NIGHTS; night += 1) {
      liveLater(night * DAY);
      const began = performance.timeOrigin + performance.now() - 1_000;
      const link = `link_${night % 4}`;
      world.sandbox.append(link, [
        created(`${link}-night-${night}`),
        ...(night > 4 ? [removed(`${link}-night-${night - 4}`)] : []),
      ]);
      await world.sync(night === 40 ? { full: true } : {});
      if (night % WEEK === 0) {
        const lake = openLake({ directory: world.lake });
        await maintain(lake, TABLES, { retainDays: WEEK }).finally(() => lake.close());
        weeks.push(await dataFiles());
      }
      liveLater(0);
      await dateFiles(world.lake, began, night * DAY);
    }
    // In the first two weeks nothing is old enough to go.
    const steady = weeks.slice(3);
    expect(Math.max(...steady)).toBeLessThanOrEqual((weeks[2] as number) * 1.1);
    expect(await verified(world.lake)).toMatchObject({ code: 0 });
  },
  NIGHTS * 20_000,
);
