import { expect, test } from "vitest";
import { advance, NO_TABLE } from "../../../src/lake/delta/delta-snapshot.js";
import {
  checkpointAction,
  checkpointDomain,
  committedByRun,
  compareHead,
  type LinkCheckpoint,
  linkCheckpoint,
} from "../../../src/lake/sync/link-checkpoint.js";
import { checkpoint } from "../../helpers/sync/link-checkpoints.js";

const update = (base: string | null, change: Partial<LinkCheckpoint> = {}) =>
  [base, checkpoint({ run_id: "r2", head: "h2", ...change })] as const;
const committed = (one: LinkCheckpoint) =>
  advance(NO_TABLE, [{ version: 0, actions: [checkpointAction(one)] }]);

test("a link's checkpoint is read back from its domain", () => {
  const snapshot = committed(checkpoint());
  expect(linkCheckpoint(snapshot, "l")).toEqual(checkpoint());
  expect(linkCheckpoint(snapshot, "other")).toBeUndefined();
  expect([...snapshot.domains.keys()]).toEqual([checkpointDomain("l")]);
});

test.for([
  ["a new link", NO_TABLE, update(null), "free"],
  ["the head that the pages started from", committed(checkpoint()), update("h1"), "free"],
  ["another run's head", committed(checkpoint({ head: "h9" })), update("h1"), "superseded"],
  ["a head where there was none", committed(checkpoint()), update(null), "superseded"],
  ["no head where there was one", NO_TABLE, update("h1"), "superseded"],
  [
    "this run's and attempt's own",
    committed(checkpoint({ run_id: "r2", head: "other" })),
    update("h1"),
    "committed",
  ],
  [
    "this run's earlier attempt",
    committed(checkpoint({ run_id: "r2", attempt: 3 })),
    update("h0"),
    "superseded",
  ],
  [
    "this run's and attempt's, read in another slice for another user",
    committed(checkpoint({ run_id: "r2", head: "other", reading: "1/b 0" })),
    update("h1"),
    "superseded",
  ],
] as const)("compare-and-swap by head: %s", ([, snapshot, wanted, kind]) => {
  expect(compareHead(snapshot, ...wanted).kind).toBe(kind);
});

test("a superseded link tells which run was faster, where the feed knows", () => {
  expect(compareHead(committed(checkpoint({ head: "h9" })), ...update("h1"))).toEqual({
    kind: "superseded",
    reason: "r1",
  });
  expect(compareHead(NO_TABLE, ...update("h1"))).toEqual({ kind: "superseded", reason: null });
});

test("what a run has committed is counted by its links, another run's left out", () => {
  const linkOf = (linkId: string, change: Partial<LinkCheckpoint>) => {
    return checkpoint({ link_id: linkId, ...change });
  };
  const links = [
    linkOf("a", { created: 5, updated: 1, pages: 2 }),
    linkOf("b", { created: 0, removed: 3 }),
    linkOf("c", { created: 0 }),
    linkOf("d", { run_id: "other", created: 9 }),
  ];
  const feed = advance(NO_TABLE, [{ version: 0, actions: links.map(checkpointAction) }]);
  expect(committedByRun(feed, "r1")).toEqual({
    ...{ synced: 2, unchanged: 1, created: 5, updated: 1, removed: 3, pages: 4, still_reading: 0 },
    links: new Set(["a", "b", "c"]),
  });
});

test("the cursor's text decides nothing: the same cursor under another head is superseded", () => {
  const snapshot = committed(checkpoint({ head: "h9", cursor: "c" }));
  expect(compareHead(snapshot, ...update("h1", { cursor: "c" })).kind).toBe("superseded");
});
