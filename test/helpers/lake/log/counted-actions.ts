import type { DeltaAction } from "../../../../src/lake/delta/delta-actions.js";
import { creationOf } from "../../../../src/lake/delta/delta-schema.js";
import type { Snapshot } from "../../../../src/lake/delta/delta-snapshot.js";
import { FEED } from "../delta-lake.js";
import { NO_RETENTION } from "./log-entries.js";

/** A checkpoint follows each commit, and all that may go does. */
export const EAGER = { checkpointFloorBytes: 0, retention: NO_RETENTION };
export const NO_CHECKPOINTS = { checkpointFloorBytes: Number.POSITIVE_INFINITY };

/** A commit by whose domains one sees that every commit before it was taken up, once. */
export function counting({ version, domains }: Snapshot): DeltaAction[] {
  const count = Number(domains.get("count") ?? -1) + 1;
  return [
    ...(version === -1 ? creationOf(FEED, 1) : []),
    domainAction("count", `${count}`),
    domainAction(`link-${count % 7}`, `of ${count}`),
  ];
}

export function domainAction(domain: string, configuration: string): DeltaAction {
  return { domainMetadata: { domain, configuration, removed: false } };
}
