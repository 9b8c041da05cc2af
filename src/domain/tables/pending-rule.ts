/**
 * How long a pending row lives (docs/use/tables.md, "Pending rows"). `listed`: until the service updates or removes it.
 * `replaced`: until a later refresh of its link, which names only new rows.
 */
export type PendingRule = "listed" | "replaced";

/** `auto`: a sync finds out which. */
export type PendingSetting = PendingRule | "auto";

export const PENDING_SETTINGS = ["listed", "replaced", "auto"] as const satisfies readonly PendingSetting[];
