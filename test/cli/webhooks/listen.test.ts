import { expect, test } from "vitest";
import { newsText, receiverNews, type WebhookNews } from "../../../src/cli/webhooks/listen.js";
import type { ReceiverCounts } from "../../../src/receiver/counts.js";

const at = "2026-11-22T02:05:10.000Z";
const KYC = "service.onboarding.completed";
const LINK = "service.user.bank_link_updated";
const event = (event_kind: string, fp_id: string | null, more: object = {}): WebhookNews => {
  const rest = { onboarding_id: null, status: null, known: true, matched: false, ...more };
  return { at, verdict: "new", message_id: "msg_1", event_kind, fp_id, ...rest };
};

test.each([
  [
    "a customer who waits",
    event(KYC, "fp_1", { onboarding_id: "ob_1", status: "pass", matched: true }),
    `new  ${KYC}  fp_1  ob_1  pass  msg_1  → the customer who waited is told`,
  ],
  ["nobody who waits", event(KYC, "fp_1"), `new  ${KYC}  fp_1  msg_1  → nothing: no customer waited for it`],
  ["a bank link", event(LINK, "fp_1"), `new  ${LINK}  fp_1  msg_1  → a sync reads the bank link again`],
  ["a bank link of nobody", event(LINK, null), `new  ${LINK}  msg_1  → nothing: it names no user`],
  [
    "a new kind, and what would turn the line around",
    event("service.\u202enew", null, { known: false }),
    "new  service.\\u202enew  msg_1  → nothing: this version does not know the kind",
  ],
  [
    "an effect",
    { at, verdict: "led_to", message_id: "msg_1", run_id: "sync-1", what: "link_1 unchanged" },
    "led to  msg_1  sync-1  link_1 unchanged",
  ],
  ["a refusal", { at, verdict: "refused", reason: "mode", count: 2 }, "refused  2, answered 403 mode"],
  [
    "a repetition",
    { at, verdict: "repeated", count: 1 },
    "repeated  1, before the first copy was in the table",
  ],
] satisfies [string, WebhookNews, string][])("one line for %s", (_, news, line) => {
  const [time, ...words] = newsText(news).split("  ");
  expect(Date.parse(time ?? "")).toBe(Date.parse(at));
  expect(words.join("  ")).toBe(line);
});

test("what a receiver has counted since, and nothing of one that began anew", () => {
  const none = { taken: 0, repeated: 0, matched: 0, unknown: 0, validated: 0 };
  const counts = (repeated: number, signature: number) =>
    ({ ...none, repeated, refused: { signature, mode: 1 } }) as unknown as ReceiverCounts;
  expect(receiverNews(counts(3, 2), counts(1, 1), at)).toEqual([
    { at, verdict: "repeated", count: 2 },
    { at, verdict: "refused", reason: "signature", count: 1 },
  ]);
  expect(receiverNews(counts(0, 0), counts(1, 1), at)).toEqual([]);
});
