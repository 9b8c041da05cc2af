import { BANK_LINK_UPDATED } from "../../domain/service/event-kind.js";
import { REFUSALS, type Refusal } from "../../domain/webhooks/rejection.js";
import type { ReceiverCounts } from "../../receiver/counts.js";
import { printable } from "../lake/row-table.js";
import { timeStamp } from "../terminal/clock.js";

/** One line of `webhooks listen`. */
export type WebhookNews = { readonly at: string } & (
  | {
      readonly verdict: "new";
      readonly message_id: string;
      readonly event_kind: string;
      readonly fp_id: string | null;
      readonly onboarding_id: string | null;
      readonly status: string | null;
      readonly known: boolean;
      readonly matched: boolean;
    }
  /** A sync that read the user's links again, or a new version of a customer's row. */
  | {
      readonly verdict: "led_to";
      readonly message_id: string;
      readonly run_id: string;
      readonly what: string;
    }
  /** What the receiver took without a new row, or did not take. */
  | { readonly verdict: "repeated"; readonly count: number }
  | { readonly verdict: "refused"; readonly reason: Refusal; readonly count: number }
);

export function newsText(news: WebhookNews): string {
  const parts = "event_kind" in news ? eventWords(news) : otherWords(news);
  return printable([timeStamp(new Date(news.at)), ...parts.filter((part) => part !== null)].join("  "));
}

function eventWords(event: Extract<WebhookNews, { verdict: "new" }>): readonly (string | null)[] {
  const { event_kind, fp_id, onboarding_id, status, message_id } = event;
  return ["new", event_kind, fp_id, onboarding_id, status, message_id, `→ ${willLeadTo(event)}`];
}

function willLeadTo({ event_kind, fp_id, known, matched }: Extract<WebhookNews, { verdict: "new" }>): string {
  if (matched) return "the customer who waited is told";
  if (!known) return "nothing: this version does not know the kind";
  if (event_kind !== BANK_LINK_UPDATED) return "nothing: no customer waited for it";
  return fp_id === null ? "nothing: it names no user" : "a sync reads the bank link again";
}

function otherWords(news: Exclude<WebhookNews, { verdict: "new" }>): readonly string[] {
  switch (news.verdict) {
    case "led_to":
      return ["led to", news.message_id, news.run_id, news.what];
    case "repeated":
      return ["repeated", `${news.count}, before the first copy was in the table`];
    case "refused":
      return ["refused", `${news.count}, answered ${REFUSALS[news.reason]} ${news.reason}`];
  }
}

/** What a receiver has counted since an earlier look; one that began anew counts from zero. */
export function receiverNews(now: ReceiverCounts, before: ReceiverCounts, at: string): WebhookNews[] {
  const repeated = now.repeated - before.repeated;
  const refused = (Object.keys(now.refused) as Refusal[]).map((reason) => {
    return { at, verdict: "refused", reason, count: now.refused[reason] - before.refused[reason] } as const;
  });
  return [{ at, verdict: "repeated", count: repeated } as const, ...refused].filter(({ count }) => count > 0);
}
