import { expect, test } from "vitest";
import { added } from "../../../src/domain/counts.js";
import { skippedLinks, turnOf, turnsInWords } from "../../../src/domain/sync/link-obstacle.js";

test.each([
  ["state error auth_expired", "customer"],
  ["state error invalid_credentials", "customer"],
  ["state error user_oauth_denied", "customer"],
  ["state error user_setup_required", "customer"],
  ["state error user_input_incorrect", "customer"],
  ["state error user_error", "customer"],
  ["state error incomplete", "customer"],
  ["state error no_accounts", "customer"],
  ["state error institution_error", "bank"],
  ["state error provider_error", "service"],
  ["state error system_error", "service"],
  ["state connecting", "bank"],
  ["state awaiting_token_exchange", "app"],
  ["state deleted", "nobody"],
  ["link_gone", "nobody"],
  ["superseded", "nobody"],
  ["state error", "operator"],
  ["state error brand_new", "operator"],
  ["state error deleted", "operator"],
  ["state archived", "operator"],
  ["state auth_expired", "operator"],
  ["state toString", "operator"],
  ["", "operator"],
] as const)("%s is the turn of: %s", (reason, turn) => {
  expect(turnOf(reason)).toBe(turn);
});

const many = (counts: Readonly<Record<string, number>>) => ({ by_reason: counts });

test("skipped links are summed by reason", () => {
  const sum = [skippedLinks("link_gone"), skippedLinks(), skippedLinks("link_gone")].reduce(added);
  expect(sum).toEqual(many({ link_gone: 2 }));
  expect(skippedLinks(`state ${"x".repeat(99)}`)).toEqual(many({ [`state ${"x".repeat(54)}`]: 1 }));
});

test.each([
  [{}, []],
  [{ "state deleted": 1 }, ["1 deleted"]],
  [
    { "state awaiting_token_exchange": 1 },
    ["1 waits for your app to finish linking (awaiting_token_exchange 1)"],
  ],
  [{ "state error auth_expired": 1 }, ["1 needs the customer (auth_expired 1)"]],
  [
    {
      ...{ "state error auth_expired": 4, "state error incomplete": 3, "state error no_accounts": 1 },
      ...{ "state error user_error": 1, "state connecting": 2, "state error institution_error": 1 },
      ...{
        "state deleted": 1,
        link_gone: 2,
        superseded: 3,
        "state archived": 1,
        "state error system_error": 2,
      },
    },
    [
      "9 need the customer (auth_expired 4, incomplete 3, no_accounts 1, …)",
      "1 needs a check in the dashboard (archived 1)",
      "3 wait for the bank (connecting 2, institution_error 1)",
      "2 wait for the service (system_error 2)",
      "3 committed by another reading",
      "2 gone since the user's links were listed",
      "1 deleted",
    ],
  ],
])("%j in words", (counts, words) => {
  expect(turnsInWords(many(counts))).toEqual(words);
});
