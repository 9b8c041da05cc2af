import { type Answer, okJson } from "../http/answer.js";
import type { Call } from "../http/router.js";
import { onboardingItem } from "./onboarding.js";

/** The page index of a list of onboardings, for faults. */
export function onboardingPageIndex(
  _params: unknown,
  query: URLSearchParams,
  { service }: Call["state"],
): number {
  const { first } = service.onboardingPages;
  return Math.max(0, Number(query.get("page") ?? first) - first) || 0;
}

/** A page of an entity's onboardings, the newest first. After the last page `next_page` is null; `onboardingPages` says which number the first page has. */
export function onboardingPage({ query, state, fire }: Call, entityId: string): Answer {
  const { size: usual, maximum, first } = state.service.onboardingPages;
  const number = query.integer("page", Number.MAX_SAFE_INTEGER, first) ?? first;
  const size = query.integer("page_size", maximum) ?? usual;
  const all = state.onboardings.of(entityId).toReversed();
  const from = (number - first) * size;
  const more = from + size < all.length;
  const next = fire("next_page_loop") ? number : more ? number + 1 : null;
  const data = all.slice(from, from + size).map(onboardingItem);
  return okJson({ data, meta: { next_page: next } });
}
