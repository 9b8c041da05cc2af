import type { TableSpec } from "../delta/delta-schema.js";
import { boolean, encrypted, integer, timestamptz, varchar } from "./columns.js";

export const webhookEvents = {
  name: "webhook_events",
  about: "Webhooks as they were received",
  columns: [
    ...varchar({ message_id: "of the delivery; a repeated message adds no row" }),
    ...timestamptz({ received_at: "when it first came" }),
    ...varchar({
      event_kind: "as the event says, with any prefix; null where it says none",
      fp_id: "user or business",
    }),
    ...varchar({ external_id: "yours, if the event has one" }),
    ...varchar({ onboarding_id: "the onboarding, if it is about one" }),
    ...varchar({ playbook_key: "without a version tag" }),
    ...integer({ playbook_version: "as the event says" }),
    ...varchar({ status: "as the event says" }),
    ...boolean({ requires_manual_review: "as the event says", is_live: "as the event says" }),
    ...timestamptz({ event_timestamp: "as an instant; UTC where the text has no offset" }),
    ...varchar({ event_timestamp_text: "what the event says" }),
    ...boolean({ known: "whether the kind, whatever its prefix, is one of Webhook events" }),
    ...boolean({ matched: "whether an open row of a customer waited for it" }),
    ...encrypted({ payload: "the body as it came, encrypted, as base64; `query --decrypt` opens it" }),
  ],
} as const satisfies TableSpec;
