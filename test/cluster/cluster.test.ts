import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, openCluster, whyNoCluster } from "../helpers/cluster/cluster.js";
import { ROUNDS } from "../helpers/cluster/cluster-rounds.js";
import { KillFigures, unfinished } from "../kill/kill-figures.js";

const FIRST_SEED = Number(process.env.NIGHTLEDGER_CLUSTER_SEED ?? 1);
const COUNT = Number(process.env.NIGHTLEDGER_CLUSTER_ROUNDS ?? 3);
const JOBS = Object.entries(ROUNDS);
const missing = await whyNoCluster();
if (missing !== undefined) process.stderr.write(`A cluster: left out, ${missing}\n`);

describe.skipIf(missing !== undefined)("a cluster", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await openCluster();
    const { shared } = cluster.network;
    const machines = shared === undefined ? "namespaces of their own" : `this machine, because ${shared}`;
    process.stderr.write(`The workers run in ${machines}.\n`);
  });
  afterAll(() => cluster?.release());

  test(`${COUNT} rounds from seed ${FIRST_SEED} on, of each a job whose cluster loses processes, are exact`, async () => {
    const figures = new KillFigures("processes of a cluster", "test:cluster");
    for (let seed = FIRST_SEED; seed < FIRST_SEED + COUNT; seed += 1) {
      const [job, round] = JOBS[seed % JOBS.length] ?? [];
      const startedAt = Date.now();
      const report = (await round?.(cluster, seed).catch(unfinished)) ?? unfinished("no round");
      figures.add(report, `seed ${seed}, ${job}`, `--seed ${seed} --rounds 1`);
      process.stderr.write(`seed ${seed}, ${job}: ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
    }
    figures.sum(`seeds ${FIRST_SEED} to ${FIRST_SEED + COUNT - 1}`);
    expect(figures.failures).toEqual([]);
  });
});
