import type { Client } from "@temporalio/client";
import { continueCommand, kindWords } from "../../domain/bulk/bulk-job.js";
import { durationWords, MINUTE } from "../../domain/duration.js";
import { InputError } from "../../domain/failures.js";
import { type EffectClaim, EffectClaims } from "../../lake/bulk/effect-claims.js";
import { lastPulse } from "../../lake/bulk/run-pulse.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";
import { namespaceId } from "../../temporal/running-workflows.js";

/** A run that worked within this time is taken for alive. */
const STILL_MS = 2 * MINUTE;

/** Lets a run be the only one of its kind in a lake. Both throw an InputError that names the run in the way. */
interface Claim {
  /** Checks, before anything is frozen, that no run is in the way. */
  assertFree(): Promise<void>;
  /** Takes the claim once the rows are frozen. */
  take(): Promise<void>;
}

/**
 * Opens the claim of a run. A run that began and did not end is in the way, unless it is of the same job and this
 * Temporal no longer runs it, or `restart` gives it up: then the new run continues it.
 */
export async function openClaim(
  client: Client,
  sealed: SealedStore,
  kind: string,
  { restart, ...run }: Omit<EffectClaim, "namespaceId"> & { readonly restart: boolean },
): Promise<Claim> {
  const claims = new EffectClaims(sealed, kind);
  const own = await namespaceId(client);
  const assertFreeOf = async (holder: EffectClaim) => {
    const isHere = holder.namespaceId === own;
    const isSame = holder.staging === run.staging;
    if (isSame && isHere) return;
    if (isSame && restart) return assertStill(sealed, holder);
    throw new InputError(
      `run ${holder.runId} of this lake has not ended, and only one ${kindWords(kind)} run may be open at a time. ` +
        `Nothing was started. ${wayOut(kind, { isHere, isSame })}`,
    );
  };
  return {
    async assertFree() {
      const holder = await claims.holder();
      if (holder !== undefined) await assertFreeOf(holder);
    },
    take: () => claims.take({ ...run, namespaceId: own }, assertFreeOf),
  };
}

/** Checks that nobody works on a run of another HOME: two that do would delete each other's records. */
async function assertStill(sealed: SealedStore, holder: EffectClaim): Promise<void> {
  const age = Date.now() - ((await lastPulse(sealed, holder)) ?? 0);
  if (age >= STILL_MS) return;
  throw new InputError(
    `run ${holder.runId} worked ${durationWords(age)} ago, so something still runs it. Nothing was started. ` +
      `Finish or cancel it there. If that machine is dead, give this command again ${durationWords(STILL_MS)} after its end.`,
  );
}

function wayOut(kind: string, { isHere, isSame }: Readonly<Record<"isHere" | "isSame", boolean>>): string {
  if (isHere)
    return `Finish it first: ${continueCommand(kind)}, or the command that started it. Either one follows it if a worker is already on it.`;
  const continued = isSame
    ? "--restart continues it here"
    : `${continueCommand(kind)} --restart continues it here`;
  return `It began on another machine, or in another NIGHTLEDGER_HOME. Finish it there; once nothing runs it any more, ${continued}.`;
}
