import { expect, test } from "vitest";
import {
  type UndecidedPost,
  undecidedMs,
} from "../../../../src/domain/onboarding/customer/undecided-post.js";

const post = (change: Partial<UndecidedPost> = {}): UndecidedPost => ({
  state: "sent",
  ageMs: 60_000,
  settlesAfterMs: 10_000,
  isOver: true,
  ...change,
});

test.for([
  ["none", [], 0, 0],
  ["sent long ago by a row that is over", [post()], 0, 0],
  ["sent just now by a row that is over", [post({ ageMs: 4_000 })], 0, 6_000],
  ["in synchronous mode", [post({ ageMs: 4_000, settlesAfterMs: 40_000 })], 0, 36_000],
  ["refused", [post({ state: "not sent", ageMs: 0, isOver: false })], 0, 0],
  ["its row continues", [post({ isOver: false })], 60_000, 300_000],
  ["its row should have been tried again long ago", [post({ isOver: false })], 400_000, 0],
  ["tried again just now", [post({ isOver: false, ageMs: 1_000 })], 400_000, 9_000],
  ["answered", [post({ state: "answered", ageMs: 0, isOver: false })], 0, 0],
  ["the longest counts", [post({ ageMs: 9_000 }), post({ ageMs: 2_000 })], 0, 8_000],
] as const)("%s", ([, posts, waited, expected]) => {
  expect(undecidedMs(posts, waited)).toBe(expected);
});
