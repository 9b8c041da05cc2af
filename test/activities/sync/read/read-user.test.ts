import { beforeEach, expect, test } from "vitest";
import { freshUser } from "../../../../src/domain/sync/user-reading.js";
import { accountStream } from "../../../../src/streams/accounts.js";
import { eachTest } from "../../../helpers/each-test.js";
import { openActivityBench, type ReadSlice } from "../../../helpers/temporal/activity-bench.js";

const STREAMS = ["accounts", "bank_links", "transactions", "investment_transactions"];
const OPERATION = "list_investment_transactions";
const HOURS_AGO = { count: 12, since: Date.now() - 2 * 3_600_000 };

const bench = eachTest(() =>
  openActivityBench({
    population: { kind: "synthetic", users: 1, linksPerUser: 3, accountsPerLink: 1, rows: 5 },
    investments: 120,
  }),
);
let bad: string;
beforeEach(async () => {
  [bad = ""] = bench.sandbox.world.links.keys();
  await bench.freeze([...bench.sandbox.world.users.keys()].map((fp_id) => ({ fp_id })));
});

const read = (streak: typeof HOURS_AGO | null = null) =>
  bench.read({ streams: STREAMS, users: [{ ...freshUser(0), streak }], fresh: null });

/** The links of a report whose investments are there, and those whose transactions are. */
function linksIn({ parsed }: ReadSlice) {
  const links = parsed.observed.flatMap(({ stream, link_id }) =>
    stream === "investment_transactions" ? (link_id ?? []) : [],
  );
  return { investments: [...new Set(links)].sort(), transactions: parsed.finished.length };
}

const others = () => [...bench.sandbox.world.links.keys()].filter((id) => id !== bad).sort();

test("a list of one link that is refused fails its user, and the other lists and links are read all the same", async () => {
  bench.sandbox.addFault({ kind: "status", status: 422, operation: OPERATION, link: bad });
  const slice = await read();
  expect(slice).toMatchObject({
    usersRead: 0,
    failed: [{ reason: "investment_transactions: refused http_422" }],
  });
  expect(linksIn(slice)).toEqual({ investments: others(), transactions: 3 });
});

test("a list of one link that fails for now is read again later; the other lists are kept until then", async () => {
  bench.sandbox.addFault({ kind: "status", status: 500, operation: OPERATION, link: bad });
  const first = await read();
  expect(first).toMatchObject({
    usersRead: 0,
    report: null,
    users: [{ progress: { streak: { count: 1 } } }],
  });
  bench.sandbox.clearFaults();
  const before = bench.sandbox.calls().by_operation[OPERATION] ?? 0;
  const progress = first.users.map((user) => user.progress);
  const second = await bench.read({ slice: 1, streams: STREAMS, users: progress, fresh: null });
  expect(second).toMatchObject({ usersRead: 1, users: [] });
  expect((bench.sandbox.calls().by_operation[OPERATION] ?? 0) - before).toBe(3);
  expect(linksIn(second).investments).toEqual([bad, ...others()].sort());
});

test("a list of one link that fails for an hour is given up; the other lists are not", async () => {
  bench.sandbox.addFault({ kind: "status", status: 500, operation: OPERATION, link: bad });
  const slice = await read(HOURS_AGO);
  expect(slice.failed).toMatchObject([{ reason: "investment_transactions: gave_up http_500" }]);
  expect(linksIn(slice)).toEqual({ investments: others(), transactions: 3 });
});

test("a refused list of the user fails the user with all links", async () => {
  bench.sandbox.addFault({ kind: "status", status: 422, operation: "list_bank_links" });
  const slice = await read();
  expect(slice.failed).toMatchObject([{ reason: "bank_links: refused http_422" }]);
  expect(linksIn(slice)).toEqual({ investments: [], transactions: 0 });
});

// The links' rows were not read while the list of accounts was refused, and 404 was called a user whom nobody knows.
test.each([404, 422])(
  "a list of accounts that answers %i fails the user, whose links are read all the same",
  async (status) => {
    bench.sandbox.addFault({ kind: "status", status, operation: "list_user_accounts" });
    const slice = await read();
    expect(slice.failed).toMatchObject([{ reason: `accounts: refused http_${status}` }]);
    expect(linksIn(slice)).toEqual({ investments: [bad, ...others()].sort(), transactions: 3 });
    expect(slice.parsed.observed.map(({ stream }) => stream)).toContain("bank_links");
  },
);

test("a key that is refused in a list of a link stops the run", async () => {
  bench.sandbox.addFault({ kind: "status", status: 401, operation: OPERATION, link: bad });
  bench.sandbox.addFault({ kind: "status", status: 401, operation: "get_user" });
  expect(await read()).toMatchObject({ users: [], failed: [], unauthorized: true });
});

test.each([
  ["plainly", '{"accounts":[],"accounts":[]}'],
  ["with an escape", '{"accounts":[],"\\u0061ccounts":[]}'],
])(
  "an answer that repeats the key of its list %s fails its user, before anything is committed with it",
  async (_, body) => {
    bench.sandbox.addFault({ kind: "wrong_body", status: 200, body, operation: "list_user_accounts" });
    const slice = await read();
    expect(slice.failed).toMatchObject([{ reason: "accounts: schema body: a key appears twice" }]);
  },
);

test("an answer that names its list elsewhere too is read as any other", async () => {
  const [fp_id = ""] = bench.sandbox.world.users.keys();
  const answer = await bench.deps.api.read(accountStream.operation, { path: { fp_id } });
  const body = JSON.stringify({ ...(answer as object), accounts_of: ["accounts"] });
  bench.sandbox.addFault({ kind: "wrong_body", status: 200, body, operation: "list_user_accounts" });
  expect(await read()).toMatchObject({ usersRead: 1, users: [] });
});

test.each([
  ["is refused", "link\\1", "link\\1", 0],
  ["can't be read", 7, "7", 0],
  ["is another user's", "link_1", "link_2", 1],
])("accounts of a link whose id %s are those of another subject, or not", async (_, id, link_id, failed) => {
  const bodies = {
    list_bank_links: { links: [{ id, state: "connected" }] },
    list_user_accounts: { accounts: [{ id: "acc_1", link_id }] },
  };
  for (const [operation, body] of Object.entries(bodies))
    bench.sandbox.addFault({ kind: "wrong_body", status: 200, body: JSON.stringify(body), operation });
  const slice = await bench.read({ streams: ["accounts", "bank_links"] });
  expect(slice.failed).toHaveLength(failed);
});
