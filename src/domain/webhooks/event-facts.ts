import { isJsonObject } from "../json/value.js";
import type { Said } from "../onboarding/verdict.js";
import { contractKind, type EventKind } from "../service/event-kind.js";
import { fpIdProblem } from "../service/external-id.js";
import { hasLoneSurrogate } from "../service/transaction-values.js";

/** A fact is null where the payload lacks it or has another form. */
export interface EventFacts extends Said {
  readonly kind: string | null;
  /** Null for a kind that the contract does not have. */
  readonly known: EventKind | null;
  readonly fpId: string | null;
  readonly externalId: string | null;
  readonly onboardingId: string | null;
  readonly playbookKey: string | null;
  readonly playbookVersion: number | null;
  readonly isLive: boolean | null;
  /** As it was written. */
  readonly timestamp: string | null;
  /** Epoch milliseconds; UTC without an offset. */
  readonly at: number | null;
  readonly bankLinkId: string | null;
}

const LONGEST_TEXT = 512;
const MOST_VERSION = 2_147_483_647;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;
const CONTROL = /\p{Cc}/u;

/** Undefined for a payload that is no object. */
export function eventFacts(payload: unknown): EventFacts | undefined {
  if (!isJsonObject(payload)) return undefined;
  const kind = text(payload.event_kind);
  const { playbook_version: version, requires_manual_review: review, is_live: live } = payload;
  const timestamp = text(payload.timestamp);
  const link = isJsonObject(payload.bank_link) ? payload.bank_link.id : undefined;
  return {
    kind,
    known: kind === null ? null : contractKind(kind),
    fpId: idText(payload.fp_id),
    externalId: text(payload.external_id),
    onboardingId: text(payload.onboarding_id),
    playbookKey: text(payload.playbook_key),
    playbookVersion: isVersion(version) ? version : null,
    status: text(payload.status) ?? text(payload.new_status),
    review: typeof review === "boolean" ? review : null,
    isLive: typeof live === "boolean" ? live : null,
    timestamp,
    at: timestamp === null ? null : instant(timestamp),
    bankLinkId: text(payload.bank_link_id) ?? text(payload.link_id) ?? text(link),
  };
}

/** Why a text can't be a message's id. */
export function messageIdProblem(id: string): string | undefined {
  if (id === "") return "is empty";
  return text(id) === null ? `is longer than ${LONGEST_TEXT} characters or not plain text` : undefined;
}

// Only plain text fits into columns and ids.
function text(value: unknown): string | null {
  if (typeof value !== "string" || value === "" || value.length > LONGEST_TEXT) return null;
  return CONTROL.test(value) || hasLoneSurrogate(value) ? null : value;
}

function idText(value: unknown): string | null {
  const id = text(value);
  return id === null || fpIdProblem(id) !== undefined ? null : id;
}

function isVersion(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) <= MOST_VERSION;
}

function instant(written: string): number | null {
  const form = INSTANT.exec(written);
  if (form === null) return null;
  const [, , , offset] = form;
  const at = Date.parse(offset === undefined ? `${written}Z` : written);
  const year = new Date(at).getUTCFullYear();
  // The offset may move the year out of the table's range.
  return year >= 1 && year <= 9999 ? at : null;
}
