/** Kinds of changes between two exports, what matters most first. */
export const CHANGE_KINDS = [
  "clear_to_consider",
  "consider_to_clear",
  "changed",
  "added",
  "removed",
  "screened_again",
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export interface FieldChange {
  readonly kind: ChangeKind;
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The service screens again for every report, so this differs each time and says nothing by itself. */
const SCREENED_AT = "watchlist_check_completed_at_text";

/** The fields that differ between two reports of a user, what matters most first. */
export function fieldChanges(
  before: Readonly<Record<string, string | null>>,
  after: Readonly<Record<string, string | null>>,
  fields: readonly string[],
): FieldChange[] {
  return fields
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }))
    .filter((one) => one.before !== one.after)
    .map((one) => ({ ...one, kind: kindOf(one) }))
    .sort((a, b) => gradeOf(a.kind) - gradeOf(b.kind));
}

/** The index of a kind in the order of importance. */
export function gradeOf(kind: ChangeKind): number {
  return CHANGE_KINDS.indexOf(kind);
}

function kindOf({ field, before, after }: Omit<FieldChange, "kind">): ChangeKind {
  if (before === "clear" && after === "consider") return "clear_to_consider";
  if (before === "consider" && after === "clear") return "consider_to_clear";
  return field === SCREENED_AT ? "screened_again" : "changed";
}
