/**
 * What a pending row lives by (docs/use/tables.md, "Pending rows"). `listed`: until the service names it under `updated`
 * or `removed`. `replaced`: until a later refresh of its link, of which the service says nothing but the new rows.
 */
export type PendingRule = "listed" | "replaced";

/** The setting: a rule, or `auto`, where a sync finds it out. */
export type PendingSetting = PendingRule | "auto";

export const PENDING_SETTINGS = ["listed", "replaced", "auto"] as const satisfies readonly PendingSetting[];
