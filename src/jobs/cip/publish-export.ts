import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DEFAULT_SAMPLE, type SampleSizes, STRATA, type Stratum } from "../../domain/bulk/cip/sample.js";
import { isThere, publishPack } from "../../lake/bulk/pack/publish.js";
import { signingKey } from "../../lake/bulk/pack/signature.js";
import { readProvenManifest } from "../../lake/bulk/pack/verify-pack.js";
import { newestRoot } from "../../lake/root/append-run.js";
import type { WholeRun } from "../job.js";
import type { CipOptions } from "../kinds/cip.js";
import { businessesOf, type PackBusinesses } from "./businesses.js";
import { exportsDirectory, previousPack } from "./earlier-exports.js";
import type { PackFacts } from "./facts.js";
import { membersOf } from "./member.js";
import { writeCipPack } from "./pack.js";
import { populationOf } from "./population.js";

/** Writes and publishes the pack of an export, or finds it published; returns where it is and what it counts. */
export async function publishExport(
  run: WholeRun<object, unknown, CipOptions>,
): Promise<Readonly<Record<string, unknown>>> {
  const { runId, lake, options, retryOf, sealer, signal } = run;
  const base = exportsDirectory(lake.store.address, options.out);
  const target = join(base, runId);
  if (!(await isThere(target))) {
    await mkdir(base, { recursive: true, mode: 0o750 });
    const directory = join(base, `.${runId}.${randomUUID()}`);
    await mkdir(directory, { mode: 0o750 });
    try {
      const members = () => membersOf(run.groups, runId);
      const businesses = options.kyb ? businessesOf(run.groups, runId) : null;
      const previous = await previousPack(base, runId, options.since ?? retryOf);
      const chromium = options.pdf ? undefined : null;
      const tools = { duckdb: lake.duckdb, sealer, signal, chromium };
      await writeCipPack(tools, directory, await factsOf(run, members, previous), members, businesses);
      await publishPack(directory, target);
    } catch (error) {
      // An attempt that Temporal gave up on may have published meanwhile.
      if (!(await isThere(target))) throw error;
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }
  // Deletes what killed attempts left. Not before: one that Temporal gave up on must not publish a part of its files.
  for (const name of await readdir(base)) {
    if (name.startsWith(`.${runId}.`)) await rm(join(base, name), { recursive: true, force: true });
  }
  const { manifest, sha256 } = await readProvenManifest(target);
  const { exported, failed, excluded } = manifest.counts;
  const people = { exported, failed, excluded };
  return {
    ...{ export: target, manifest_sha256: sha256, ...people, people },
    ...(options.kyb && { businesses: businessCounts(manifest.facts.businesses) }),
  };
}

function businessCounts(counts: unknown) {
  const { exported, empty, failed, excluded } = counts as PackBusinesses["counts"];
  return { exported, empty, failed, excluded };
}

async function factsOf(
  run: WholeRun<object, unknown, CipOptions>,
  members: () => ReturnType<typeof membersOf>,
  previous: string | null,
): Promise<PackFacts> {
  const { runId, options, asker, secrets, startedAt, version, retryOf } = run;
  const population = await populationOf(members());
  const { sample } = options;
  const sizeOf = (stratum: Stratum) => sample ?? DEFAULT_SAMPLE[stratum];
  const sizes = Object.fromEntries(STRATA.map((stratum) => [stratum, sizeOf(stratum)]));
  return {
    operator: asker.operator,
    host: asker.host,
    version,
    approver: options.approver,
    service_url: asker.service,
    service_mode: asker.mode,
    key_fingerprint: asker.keyFingerprint,
    started_at: startedAt,
    finished_at: new Date().toISOString(),
    lake_root: await newestRoot(run.lake),
    unmasked: options.unmasked,
    reason: options.reason,
    exportId: runId,
    population,
    signKey: secrets.signKey ? signingKey(secrets.signKey, "--sign-key") : undefined,
    previous,
    amends: retryOf,
    // The same population draws the same people, unless the user asks for others.
    sample: { ...(sizes as SampleSizes), seed: options.sample_seed ?? population.sha256 },
  };
}
