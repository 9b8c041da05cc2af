import type { TableSpec } from "../delta/delta-schema.js";

/** One row a webhook message, whether anything waited for it or not. */
export const webhookEvents = {
  name: "webhook_events",
  columns: [
    { name: "message_id", type: "VARCHAR" },
    { name: "received_at", type: "TIMESTAMPTZ" },
    { name: "event_kind", type: "VARCHAR" },
    { name: "fp_id", type: "VARCHAR" },
    { name: "external_id", type: "VARCHAR" },
    { name: "onboarding_id", type: "VARCHAR" },
    { name: "playbook_key", type: "VARCHAR" },
    { name: "playbook_version", type: "INTEGER" },
    { name: "status", type: "VARCHAR" },
    { name: "requires_manual_review", type: "BOOLEAN" },
    { name: "is_live", type: "BOOLEAN" },
    { name: "event_timestamp", type: "TIMESTAMPTZ" },
    { name: "event_timestamp_text", type: "VARCHAR" },
    { name: "known", type: "BOOLEAN" },
    { name: "matched", type: "BOOLEAN" },
    { name: "payload", type: "VARCHAR", encrypted: true },
  ],
} as const satisfies TableSpec;
