import { EVENT_KINDS } from "../../src/domain/service/event-kind.js";
import { ONBOARDING_STATUSES } from "../../src/domain/service/onboarding-status.js";
import { Fields } from "../vault/fields.js";
import type { EventPayload } from "./message.js";

const COMPLETED = [
  ...["event_kind", "fp_id", "timestamp", "status", "playbook_key", "playbook_version"],
  ...["requires_manual_review", "is_live", "onboarding_id", "external_id", "onboarding_external_id"],
];

/**
 * Checks the payload of a test webhook: a known kind; of `service.onboarding.completed` the shape that is shown.
 * @throws Refusal 400
 */
export function checkPayload(payload: EventPayload): void {
  const where = "payload";
  const known = payload.event_kind === "service.onboarding.completed" ? COMPLETED : Object.keys(payload);
  const fields = new Fields(payload, known, where);
  fields.required("event_kind");
  fields.oneOf("event_kind", EVENT_KINDS);
  if (known !== COMPLETED) return;
  for (const name of ["fp_id", "timestamp", "status", "playbook_key", "onboarding_id"]) fields.required(name);
  fields.oneOf("status", ONBOARDING_STATUSES);
  if (Number.isNaN(Date.parse(fields.required("timestamp")))) fields.refuse("timestamp", "not ISO 8601");
  for (const name of ["external_id", "onboarding_external_id"]) fields.textOrNull(name);
  fields.integer("playbook_version", 1, Number.MAX_SAFE_INTEGER) ??
    fields.refuse("playbook_version", "missing");
  for (const name of ["requires_manual_review", "is_live"])
    fields.boolean(name) ?? fields.refuse(name, "missing");
}
