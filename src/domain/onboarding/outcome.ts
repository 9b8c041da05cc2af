import { OUTCOME_COLUMNS } from "../tables/onboardings.js";
import type { CustomerKind, RowName } from "./customer.js";

/** Statuses of a row that are not the service's own (docs/reference/service.md, "Onboarding statuses"). */
export const OWN_STATUSES = [
  "invalid",
  "failed",
  "needs_customer",
  "expired_no_response",
  "cancelled",
] as const;
/** How the status of an outcome was learned. */
export const DECIDED_BY = ["sync", "webhook", "poll", "validation"] as const;
export type DecidedBy = (typeof DECIDED_BY)[number];

type OutcomeColumn = (typeof OUTCOME_COLUMNS)[number];
const NEVER_NULL = ["batch_id", "run_id", "line", "attempt", "version", "playbook_key", "status"] as const;
type NeverNull = (typeof NEVER_NULL)[number];
type ValueOf = { VARCHAR: string; BIGINT: number; INTEGER: number; BOOLEAN: boolean; TIMESTAMPTZ: string };
type ColumnValues = {
  readonly [C in OutcomeColumn as C["name"]]:
    | ValueOf[C["type"]]
    | (C["name"] extends NeverNull ? never : null);
};

type NamedValues = {
  readonly kind: CustomerKind | null;
  readonly settled_by: DecidedBy | null;
};

/** A row of `onboardings`; instants are ISO text. */
export type OutcomeRow = Omit<ColumnValues, keyof NamedValues> & NamedValues;

/** Each `runs retry` is an attempt, each later change a version. */
export type OutcomeName = Pick<OutcomeRow, "line" | "attempt" | "version">;

/** An outcome on its way into the table. Personal data, so it is sealed until it is written. */
export interface Outcome extends Omit<OutcomeRow, "batch_id" | "run_id"> {
  readonly row_key: string | null;
  /** What happened since the previous version; without any, `recorded` is written. */
  readonly events?: readonly OutcomeEvent[];
}

/** Something that happened to a row, for `onboarding_events`. */
export interface OutcomeEvent {
  readonly event: string;
  readonly status: string | null;
  readonly message_id: string | null;
  /** ISO instant. */
  readonly at: string;
  /** Words without personal data. */
  readonly detail: string | null;
}

const NULLABLE = OUTCOME_COLUMNS.map(({ name }) => name).filter(
  (name): name is Exclude<typeof name, NeverNull> => !(NEVER_NULL as readonly string[]).includes(name),
);

export const NOTHING_KNOWN = Object.fromEntries(NULLABLE.map((name) => [name, null])) as {
  readonly [C in (typeof NULLABLE)[number]]: null;
};

export function namesOf({
  kind,
  fpId,
  externalId,
}: RowName): Pick<OutcomeRow, "kind" | "fp_id" | "fp_bid" | "external_id"> {
  const isBusiness = kind === "business";
  return { kind, fp_id: isBusiness ? null : fpId, fp_bid: isBusiness ? fpId : null, external_id: externalId };
}

export function outcomeEvent(
  event: string,
  status: string | null,
  more: Partial<Pick<OutcomeEvent, "message_id" | "at" | "detail">> = {},
): OutcomeEvent {
  return { event, status, message_id: null, at: new Date().toISOString(), detail: null, ...more };
}

export function adoptedEvent(
  { batch_id, line, attempt }: Pick<OutcomeRow, "batch_id" | "line" | "attempt">,
  status: string,
): OutcomeEvent {
  return outcomeEvent("adopted", status, { detail: `from ${batch_id}, line ${line}, attempt ${attempt}` });
}
