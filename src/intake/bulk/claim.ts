import type { Client } from "@temporalio/client";
import { InputError } from "../../domain/failures.js";
import { type EffectClaim, EffectClaims } from "../../lake/bulk/effect-claims.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";
import { describeRunning, namespaceId } from "../../temporal/running-workflows.js";
import { openBulkStaging } from "./bulk-staging.js";

/** The claims of one kind in a lake. */
export function effectClaims(sealed: SealedStore, kind: string): EffectClaims {
  return new EffectClaims(sealed, kind, async (staging) => {
    return (await openBulkStaging(sealed, staging).findFile()) !== undefined;
  });
}

/** A run that wants to be the one of its kind in a lake. */
interface ClaimingRun extends Omit<EffectClaim, "namespaceId"> {
  /** Whether a run of the same job that another Temporal has begun is given up. */
  readonly restart: boolean;
}

/** How a run becomes the one of its kind; both throw an InputError that names the run that is in the way. */
interface Claim {
  /** Looks before anything is frozen. */
  assertFree(): Promise<void>;
  /** Takes the claim for rows that are frozen. */
  take(): Promise<void>;
}

/**
 * Opens the claim of a run. A run that began and did not end is in its way, unless that is one of the same job that
 * this Temporal does not run any more: then the new run continues it.
 */
export async function openClaim(
  client: Client,
  sealed: SealedStore,
  kind: string,
  { restart, ...run }: ClaimingRun,
): Promise<Claim> {
  const claims = effectClaims(sealed, kind);
  const own = await namespaceId(client);
  const assertFreeOf = async (holder: EffectClaim) => {
    const isHere = holder.namespaceId === own;
    const isSame = holder.staging === run.staging;
    if (isSame && (isHere || restart)) return;
    const isRunning = isHere && (await describeRunning(client, holder.workflowId)) !== undefined;
    throw new InputError(
      `run ${holder.runId} of this lake has begun and has not ended, and ${kind} jobs run one after another. ` +
        `Nothing was started. ${wayOut(kind, { isHere, isSame, isRunning })}`,
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

interface InTheWay {
  readonly isHere: boolean;
  readonly isSame: boolean;
  readonly isRunning: boolean;
}

function wayOut(kind: string, { isHere, isSame, isRunning }: InTheWay): string {
  if (isRunning) return "Wait for its end.";
  if (isHere) return `Bring it to its end first: nightledger ${kind}s continue.`;
  const where = "Another machine, or another NIGHTLEDGER_HOME, began it.";
  const continued = isSame
    ? "--restart continues it here"
    : `nightledger ${kind}s continue --restart does here`;
  return `${where} Bring it to its end there; once nothing runs it any more, ${continued}.`;
}
