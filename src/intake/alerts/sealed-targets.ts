import { createHash } from "node:crypto";
import type { AlertTargets } from "../../domain/alert-settings.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";

/** Keeps the targets of alerts, sealed, and returns their name: a history must not hold the address of a webhook. */
export async function sealTargets(sealed: SealedStore, { command, webhook }: AlertTargets): Promise<string> {
  const targets: AlertTargets = { command, webhook };
  const name = createHash("sha256").update(JSON.stringify(targets)).digest("hex").slice(0, 32);
  await sealed.putIfAbsent(keyOf(name), targets);
  return name;
}

/** Reads the targets of a name. @throws StagingLostError where they were deleted */
export function sealedTargets(sealed: SealedStore, name: string): Promise<AlertTargets> {
  return sealed.require<AlertTargets>(keyOf(name));
}

function keyOf(name: string): string {
  return `_staging/alerts/${name}`;
}
