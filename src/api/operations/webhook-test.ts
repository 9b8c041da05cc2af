import { z } from "zod";
import { contractKind, EVENT_KINDS, withPrefix } from "../../domain/service/event-kind.js";
import { ONBOARDING_STATUSES } from "../../domain/service/onboarding-status.js";
import { jsonObject, nonBlankText } from "../schemas/body-fields.js";
import { anyText, each, flag, integer, strictObject } from "../schemas/fields.js";
import { emptyAnswer, ids } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

const completed = strictObject({
  event_kind: nonBlankText,
  fp_id: nonBlankText,
  timestamp: z.iso.datetime({ offset: true, error: "not an ISO 8601 time with an offset" }),
  status: z.enum(ONBOARDING_STATUSES, "not an onboarding status"),
  playbook_key: nonBlankText,
  playbook_version: integer,
  requires_manual_review: flag,
  is_live: flag,
  onboarding_id: nonBlankText,
  ...each(anyText.nullable(), "external_id", "onboarding_external_id"),
});

// The contract shows one kind; the seven others may hold anything.
const payload = jsonObject.superRefine((event, context) => {
  const issue = (path: PropertyKey[], message: string) => context.addIssue({ code: "custom", path, message });
  const kind = contractKind(String(event.event_kind));
  if (kind === null) {
    issue(["event_kind"], "not a kind of event");
  } else if (kind === "service.onboarding.completed") {
    const wrong = completed.safeParse(event).error?.issues[0];
    if (wrong?.code === "unrecognized_keys") issue(wrong.keys.slice(0, 1), "not known to this kind of event");
    else if (wrong !== undefined) issue([...wrong.path], wrong.message);
  }
});

/** docs/reference/service.md, "Test webhook". */
export const sendTestWebhook = defineOperation({
  name: "send_test_webhook",
  part: "proxy and webhooks",
  summary: "Makes the service send a test webhook.",
  method: "POST",
  path: "/webhooks/test",
  inWords: ({ eventPrefix }, body) => ({ path: "/webhooks/test", body: prefixed(eventPrefix, body) }),
  params: {
    ...ids(),
    body: strictObject({
      idempotency_key: nonBlankText.optional().describe("text; the service sends one webhook per key"),
      payload: payload.describe(
        `an object with event_kind (${EVENT_KINDS.join(", ")}); service.onboarding.completed needs all its fields`,
      ),
    }),
  },
  response: emptyAnswer,
  answers: "nothing",
  auth: "secret_key",
  idempotent: false,
  lostAnswer:
    "Not sent again by itself. With `idempotency_key`, send it again with the same key; without, a second webhook is a second effect.",
  answer: "`{}`",
  notShown: "The payloads of the seven other kinds: any object of JSON values with `event_kind`.",
});

function prefixed(prefix: string, body: unknown): unknown {
  const { payload: event, ...rest } = body as { readonly payload: { readonly event_kind: string } };
  return { ...rest, payload: { ...event, event_kind: withPrefix(prefix, event.event_kind) } };
}
