import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RefutedItem } from "../../domain/bulk/bulk-job.js";
import { isS3Address } from "../../domain/lake-address.js";
import { shellWord } from "../../domain/words/texts.js";
import { PROOF } from "../../lake/bulk/pack/manifest.js";
import type { PackPlace } from "../../lake/bulk/pack/pack-place.js";
import { signingKey } from "../../lake/bulk/pack/signature.js";
import { readProvenManifest } from "../../lake/bulk/pack/verify-pack.js";
import { newestRoot } from "../../lake/root/lake-root.js";
import { heldUsers, setHold } from "../../lake/sync/forget/holds.js";
import type { WholeRun } from "../job.js";
import type { CipOptions } from "../kinds/cip.js";
import { exportsIn, previousPack } from "./earlier-exports.js";
import type { PackFacts } from "./facts.js";
import { type MemberResult, membersOf, type RosterRow } from "./member.js";
import { populationOf } from "./member-lines.js";
import { writeCipPack } from "./pack.js";
import { refutedMembers } from "./refuted.js";

type CipRun = WholeRun<RosterRow, MemberResult, CipOptions>;

/** Publishes an export's pack, or finds it published; returns its place and counts. */
export async function publishExport(run: CipRun) {
  const { runId, lake, options } = run;
  const exports = exportsIn(lake.store, options.out);
  await lake.duckdb.makeScratch();
  const scratch = await mkdtemp(join(lake.duckdb.scratchDirectory, "export-"));
  try {
    const refuted = await refutedMembers(run.groups);
    if (!(await exports.resume(runId, scratch))) await makePack(run, refuted, exports, scratch);
    const read = await exports.read(runId, scratch, [PROOF.manifest, PROOF.sums]);
    const { manifest, sha256 } = await readProvenManifest(read);
    const { exported, failed, excluded } = manifest.counts;
    const people = { exported, failed, excluded };
    const address = exports.addressOf(runId);
    const told = {
      export: address,
      ...(isS3Address(address) && { fetch: `aws s3 cp --recursive ${shellWord(address)} ${runId}` }),
      manifest_sha256: sha256,
      ...people,
      people,
    };
    return { told, refuted };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function makePack(
  run: CipRun,
  refuted: readonly RefutedItem[],
  exports: PackPlace,
  scratch: string,
): Promise<void> {
  const { runId, lake, options, retryOf, sealer } = run;
  const directory = await exports.begin(runId, scratch);
  try {
    const held = await heldUsers(lake);
    const members = () => membersOf(run.groups, runId, { refuted, held });
    // No table has the roster's words of users without a report.
    const unreported: string[] = [];
    for await (const { fpId, legalHold, report } of members())
      if (legalHold && report === null) unreported.push(fpId);
    const why = { by: run.asker.operator, reason: `the roster of ${runId}` };
    await setHold(lake, unreported, "held", why);
    const previous = await previousPack(exports, runId, options.since ?? retryOf, scratch);
    const facts = await factsOf(run, await populationOf(members()), previous);
    await writeCipPack({ lake, sealer }, directory, facts, members());
    await exports.publish(runId, directory);
  } catch (error) {
    // An attempt that Temporal gave up may have published meanwhile.
    if (!(await exports.resume(runId, scratch))) throw error;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function factsOf(
  run: CipRun,
  population: PackFacts["population"],
  previous: PackFacts["previous"],
): Promise<PackFacts> {
  const { runId, options, asker, secrets, startedAt, version, retryOf } = run;
  return {
    operator: asker.operator,
    host: asker.host,
    institution: asker.institution,
    retention: asker.retention,
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
  };
}
