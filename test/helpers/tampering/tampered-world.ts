import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addLink, addRows, created, removed, updated } from "../sync/scripted-links.js";
import { openSyncWorld } from "../sync/sync-harness.js";
import type { sharedTemporal } from "../temporal/shared-temporal.js";
import { DamagedLake } from "./lake-damage.js";
import { tampering } from "./tampering.js";
import { verified } from "./verified.js";

/** A lake of two nights, of which copies are tampered with and verified. */
export async function openTamperedWorld(temporal: ReturnType<typeof sharedTemporal>) {
  const base = await mkdtemp(join(tmpdir(), "nightledger-tampering-"));
  const world = await openSyncWorld(temporal);
  const { sandbox } = world;
  for (const link of ["a", "b", "c"]) addLink(world, link, 8, `fp_${link}`);
  sandbox.append("a", [created("a-pending", { pending: true })]);
  const first = await world.sync({});
  const yesterday = join(base, "yesterday");
  await cp(world.lake, yesterday, { recursive: true });
  sandbox.append("a", [removed("a-pending"), removed("a-0003"), updated("a-0002"), created("a-new")]);
  addRows(sandbox, "b", 40, 5);
  addLink(world, "d", 3, "fp_a");
  const second = await world.sync({});
  await world.stopWorker();
  let copies = 0;
  const copy = () => {
    copies += 1;
    return DamagedLake.of(world.lake, join(base, `lake-${copies}`));
  };
  return {
    ...{ lake: world.lake, yesterday, copy },
    roots: [first, second].map(({ result }) => String(result.lake_root)),
    async found(seed: number) {
      const lake = await copy();
      await tampering(seed).apply(lake, yesterday);
      const verdict = await verified(lake.directory);
      await rm(lake.directory, { recursive: true });
      return verdict;
    },
    async close() {
      await world.close();
      await rm(base, { recursive: true, force: true });
    },
  };
}
