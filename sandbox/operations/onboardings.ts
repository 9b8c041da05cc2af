import { type Answer, notFound, okJson } from "../http/answer.js";
import { pageIndex } from "../http/page-window.js";
import type { Call, Operation } from "../http/router.js";
import { isTerminal, onboardingResult } from "../onboarding/onboarding.js";
import { businessOf, userOf } from "../owner.js";
import { Fields } from "../vault/fields.js";

/** What both lists of onboardings share (docs/reference/service.md, "Onboarding lists"). */
const LIST = {
  method: "GET",
  query: ["page", "page_size"],
  pageOf: (_params, query, { service }) => pageIndex(query, service.onboardingPages.first),
} as const satisfies Partial<Operation>;

export const ONBOARDING_OPERATIONS: readonly Operation[] = [
  {
    ...LIST,
    name: "list_user_onboardings",
    path: "/users/{fp_id}/onboardings",
    handle: (call) => onboardingPage(call, userOf(call).fpId),
  },
  {
    ...LIST,
    name: "list_business_onboardings",
    path: "/businesses/{fp_bid}/onboardings",
    handle: (call) => onboardingPage(call, businessOf(call).id),
  },
  // docs/reference/service.md, "Onboarding lookup": its shape is not shown there; read as an onboarding result.
  {
    name: "get_onboarding",
    method: "GET",
    path: "/onboardings/{id}",
    handle({ params, state: { onboardings, clock } }) {
      const onboarding = onboardings.find(params.id ?? "") ?? notFound("no such onboarding");
      return okJson(onboardingResult(onboarding, clock.now()));
    },
  },
  // docs/reference/service.md, "Session validation"
  {
    name: "validate_session",
    method: "POST",
    path: "/onboarding/session/validate",
    body: "whole",
    handle({ body, state: { sessions } }) {
      const fields = new Fields(body.json(), ["validation_token"]);
      return okJson(sessions.validate(fields.required("validation_token")));
    },
  },
];

/**
 * A page of an entity's onboardings, the newest first, without `external_id`, which only onboarding sessions give.
 * After the last page `next_page` is null; `onboardingPages` says which number the first page has.
 */
function onboardingPage({ query, state, fire }: Call, entityId: string): Answer {
  const { size: usual, maximum, first } = state.service.onboardingPages;
  const number = query.integer("page", Number.MAX_SAFE_INTEGER, first) ?? first;
  const size = query.integer("page_size", maximum) ?? usual;
  const [newest] = state.onboardings.of(entityId).slice(-1);
  if (number > first && newest && fire("list_moves")) {
    const begun = {
      entityId,
      entityExternalId: newest.entity_external_id,
      idempotencyId: undefined,
      data: {},
    };
    state.onboardings.start({ ...begun, ...state.playbooks.find(newest.playbook_key), synchronous: true });
  }
  const all = state.onboardings.of(entityId).toReversed();
  const isRepeated = number > first && fire("page_repeated") !== undefined;
  const from = (number - first - (isRepeated ? 1 : 0)) * size;
  const more = from + size < all.length;
  const next = fire("next_page_loop") ? number : more ? number + 1 : null;
  // What is not shown leaves its place on its page empty.
  const onlyEnded = state.service.behaves.has("ended-onboardings");
  const data = all
    .slice(from, from + size)
    .filter(({ status, running }) => !onlyEnded || (isTerminal(status) && !running))
    .map(({ id, playbook_key, status, timestamp }) => ({ id, playbook_key, status, timestamp }));
  return okJson({ data, meta: { next_page: next } });
}
