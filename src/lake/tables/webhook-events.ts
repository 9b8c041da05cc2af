import type { TableSpec } from "../delta/delta-schema.js";
import { boolean, encrypted, integer, timestamptz, varchar } from "./columns.js";

/** One row per webhook message, whether or not anything waited for it. */
export const webhookEvents = {
  name: "webhook_events",
  columns: [
    ...varchar("message_id"),
    ...timestamptz("received_at"),
    ...varchar("event_kind", "fp_id", "external_id", "onboarding_id", "playbook_key"),
    ...integer("playbook_version"),
    ...varchar("status"),
    ...boolean("requires_manual_review", "is_live"),
    ...timestamptz("event_timestamp"),
    ...varchar("event_timestamp_text"),
    ...boolean("known", "matched"),
    ...encrypted("payload"),
  ],
} as const satisfies TableSpec;
