import { expect, test } from "vitest";
import { expectedLinks } from "../../../src/domain/sync/sync-counts.js";

test.for([
  ["nothing is found yet", { usersDone: 0, linksFound: 0 }, 0],
  ["no user is read to the end yet: what is found is all that is known", { usersDone: 0, linksFound: 7 }, 7],
  ["the other users are expected to have as many", { usersDone: 100, linksFound: 200 }, 800],
  ["a share of a link is no link", { usersDone: 3, linksFound: 1 }, 133],
  ["users without links make the others expect fewer", { usersDone: 200, linksFound: 100 }, 200],
  ["all is done", { usersDone: 400, linksFound: 198 }, 198],
] as const)("%s", ([_, told, links]) => {
  expect(expectedLinks({ usersTotal: 400, ...told })).toBe(links);
});
