import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DEFAULT_SAMPLE, type SampleSizes, STRATA } from "../../domain/bulk/cip/sample.js";
import { isThere, publishPack } from "../../lake/bulk/pack/publish.js";
import { signingKey } from "../../lake/bulk/pack/signature.js";
import { readProvenManifest } from "../../lake/bulk/pack/verify-pack.js";
import type { WholeRun } from "../job.js";
import { exportsDirectory, previousPack } from "./earlier-exports.js";
import type { PackFacts, PackTools } from "./facts.js";
import { type MemberResult, membersOf, type RosterRow } from "./member.js";
import { writeCipPack } from "./pack.js";
import { populationOf } from "./population.js";

/** Writes and publishes the pack of an export, or finds it published; returns where it is and what it counts. */
export async function publishExport(
  place: WholeRun<RosterRow, MemberResult>,
): Promise<Readonly<Record<string, unknown>>> {
  const { runId, lake, options, retryOf } = place;
  const base = exportsDirectory(lake.store.address, options.out);
  const target = join(base, runId);
  if (!(await isThere(target))) {
    await mkdir(base, { recursive: true, mode: 0o750 });
    const directory = join(base, `.${runId}.${randomUUID()}`);
    await mkdir(directory, { mode: 0o750 });
    try {
      const members = () => membersOf(place.groups, runId);
      const previous = await previousPack(base, runId, options.since ?? retryOf);
      await writeCipPack(toolsOf(place), directory, await factsOf(place, members, previous), members);
      await publishPack(directory, target);
    } catch (error) {
      // An attempt that Temporal gave up on may have published meanwhile.
      if (!(await isThere(target))) throw error;
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }
  // Not before: an attempt that Temporal gave up on must not publish what is left of its files.
  await dropUnfinished(base, runId);
  const { manifest, sha256 } = await readProvenManifest(target);
  const { exported, failed, excluded } = manifest.counts;
  return { export: target, manifest_sha256: sha256, exported, failed, excluded };
}

function toolsOf({ lake, sealer, signal, options }: WholeRun<RosterRow, MemberResult>): PackTools {
  return { duckdb: lake.duckdb, sealer, signal, ...(options.pdf === false && { chromium: null }) };
}

async function factsOf(
  place: WholeRun<RosterRow, MemberResult>,
  members: () => ReturnType<typeof membersOf>,
  previous: string | null,
): Promise<PackFacts> {
  const { runId, options, asker, secrets, startedAt, version, retryOf } = place;
  const text = (name: string) => (typeof options[name] === "string" ? options[name] : null);
  const population = await populationOf(members());
  const size = typeof options.sample === "number" ? options.sample : undefined;
  const sizes = Object.fromEntries(STRATA.map((stratum) => [stratum, size ?? DEFAULT_SAMPLE[stratum]]));
  return {
    operator: asker.operator,
    host: asker.host,
    version,
    approver: text("approver") ?? "",
    service_url: asker.service,
    service_mode: asker.mode,
    key_fingerprint: asker.keyFingerprint,
    started_at: startedAt,
    finished_at: new Date().toISOString(),
    unmasked: options.unmasked === true,
    reason: text("reason"),
    exportId: runId,
    population,
    signKey: secrets.signKey ? signingKey(secrets.signKey, "--sign-key") : undefined,
    previous,
    amends: retryOf,
    // The same population draws the same people, unless the user asks for others.
    sample: { ...(sizes as SampleSizes), seed: text("sample_seed") ?? population.sha256 },
  };
}

/** Deletes what killed attempts of this run left. */
async function dropUnfinished(base: string, runId: string): Promise<void> {
  for (const name of await readdir(base)) {
    if (name.startsWith(`.${runId}.`)) await rm(join(base, name), { recursive: true, force: true });
  }
}
