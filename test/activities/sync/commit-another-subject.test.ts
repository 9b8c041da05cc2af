import { beforeEach, describe, expect, test } from "vitest";
import { transactionRow } from "../../../sandbox/index.js";
import { bringUpCurrent } from "../../../src/lake/history/current-table.js";
import type { HistorySpec } from "../../../src/lake/history/history-spec.js";
import { sharedLinks } from "../../../src/lake/sync/lake-check.js";
import { bankLinkStream } from "../../../src/streams/bank-links.js";
import { eachTest } from "../../helpers/each-test.js";
import { auditInvestments } from "../../helpers/sync/investment-audit.js";
import { LiedToNights } from "../../helpers/sync/lied-to-nights.js";

const STREAMS = ["accounts", "bank_links", "transactions", "investment_transactions", "securities"];
const LINKS = ["link_of_a", "link_of_b"];
const ROWS = 30;

const at = eachTest(() => LiedToNights.open());
beforeEach(async () => {
  for (const link of LINKS) {
    const accounts = [{ id: `acc_${link}` }];
    at.bench.sandbox.addLink({ fp_id: `user_${link}`, id: link, accounts });
    more(link, 0, ROWS);
  }
});

function more(link: string, from: number, rows: number, account_id = `acc_${link}`): void {
  const { sandbox } = at.bench;
  const ids = Array.from({ length: rows }, (_, n) => `${link}_${from + n}`);
  sandbox.append(
    link,
    ids.map((id) => ({ change: "created", row: transactionRow({ transaction_id: id, account_id }) })),
  );
  const date = new Date().toISOString().slice(0, 10);
  const transactions = ids.map((id) => ({ investment_transaction_id: `inv_${id}`, account_id, date }));
  sandbox.investments.add(link, { transactions });
}

const TABLES = {
  transaction_changes:
    "fp_id, link_id, transaction_id, account_id, change_type, inferred, sequence, generation",
  accounts: "fp_id, link_id, account_id, gone",
  bank_links: "fp_id, link_id, gone",
  investment_transaction_changes: "fp_id, link_id, investment_transaction_id, change_type",
};

/** What the tables say, but for runs and times. */
async function tables(): Promise<unknown[]> {
  const found = [];
  for (const [table, columns] of Object.entries(TABLES)) {
    found.push([table, await at.rows(`select ${columns} from ${table} order by all`)]);
  }
  return found;
}

/** An answer about A holds what one about B would. */
const about = (pattern: RegExp) =>
  async function lie({ path, query }: { readonly path: string; readonly query: URLSearchParams }) {
    if (!pattern.test(path) || !path.includes("link_of_a")) return undefined;
    const { apiKey, url } = at.bench.sandbox;
    const headers = { authorization: `Basic ${Buffer.from(`${apiKey}:`).toString("base64")}` };
    query.delete("cursor");
    return (await fetch(`${url}${path.replace("link_of_a", "link_of_b")}?${query}`, { headers })).json();
  };

const CLEAN = { failed: [], totals: { failures: [], links: { failed: 0 } } };

/** In this order, and of these streams, each lie is the first that is heard of what it is about. */
const LIES = [
  [
    "a user's links",
    /bank_links$/,
    /^bank_links: another_subject links\[\].fp_id: •••of_b for •••of_a$/,
    STREAMS,
  ],
  [
    "a user's accounts",
    /linked_bank_accounts$/,
    /^accounts: another_subject accounts\[\].link_id: •••of_b for one of 1$/,
    ["accounts", "bank_links"],
  ],
] as const;

test("an answer about another user or link fails that one alone, and leaves nothing behind, first or later", async () => {
  const lying = async () => {
    for (const [what, pattern, reason, streams] of LIES) {
      const { failed, totals } = await at.night(streams, { lie: about(pattern) });
      const reasons = [...failed, ...totals.failures.map((failure) => failure.reason)];
      expect(reasons, what).toEqual([expect.stringMatching(reason)]);
      expect(totals.links, what).toMatchObject({ failed: 0 });
    }
  };
  await lying();
  expect(await at.night(STREAMS)).toMatchObject(CLEAN);
  const before = await tables();
  expect(await auditInvestments((sql) => at.rows(sql), at.bench.sandbox, LINKS)).toEqual([]);
  await lying();
  expect(await tables()).toEqual(before);
  expect(await at.night(STREAMS)).toMatchObject(CLEAN);
  expect(await tables()).toEqual(before);
  for (const link of LINKS) more(link, ROWS, 3);
  await lying();
  expect(await at.night(STREAMS)).toMatchObject(CLEAN);
  const all = { n: ROWS + 3, created: ROWS + 3 };
  const feed = `select fp_id, link_id, account_id, count(*)::int as n,
    (count(*) filter (change_type = 'created'))::int as created from transaction_changes group by all order by all`;
  expect(await at.rows(feed)).toEqual(
    LINKS.map((link) => ({ fp_id: `user_${link}`, link_id: link, account_id: `acc_${link}`, ...all })),
  );
  const gone = `select 1 from bank_links where gone union all select 1 from accounts where gone
    union all select 1 from investment_transaction_changes where change_type <> 'created'`;
  expect(await at.rows(gone)).toEqual([]);
});

// The others' account was stored under this user, and gone the night after.
test("accounts of a user among which one is of another user's link are refused", async () => {
  const streams = ["accounts", "bank_links", "transactions"];
  await at.night(streams);
  const lie = ({ path }: { path: string }, truth: { readonly accounts: readonly object[] }) =>
    path === "/users/user_link_of_a/linked_bank_accounts"
      ? { accounts: [...truth.accounts, { id: "acc_link_of_b", link_id: "link_of_b" }] }
      : undefined;
  const before = await at.rows("from accounts order by all");
  expect((await at.night(streams, { lie })).failed).toEqual([
    expect.stringMatching(/^accounts: another_subject/),
  ]);
  expect(await at.rows("from accounts order by all")).toEqual(before);
});

describe("a link that a consistent lie has put under another user", () => {
  const spec = bankLinkStream.table as HistorySpec;
  const shared = async () => {
    await bringUpCurrent(at.bench.deps.lake, spec, "test");
    return sharedLinks(at.bench.deps.lake, spec);
  };
  const streams = ["accounts", "bank_links", "transactions"];
  const [a, b] = ["user_link_of_a", "user_link_of_b"];
  const stolen = async (path: string) => {
    const { apiKey, url } = at.bench.sandbox;
    const headers = { authorization: `Basic ${Buffer.from(`${apiKey}:`).toString("base64")}` };
    return (await (await fetch(url + path.replace(a, b), { headers })).text()).replaceAll(b, a);
  };
  const lie = async ({ path }: { path: string }) => {
    if (path.startsWith(`/users/${a}/`)) return JSON.parse(await stolen(path));
    return path.startsWith(`/users/${b}/`) ? { links: [], accounts: [] } : undefined;
  };
  const newest = `select distinct fp_id from (select fp_id from transaction_changes where link_id = 'link_of_b'
    qualify row_number() over (partition by transaction_id order by sequence desc) = 1)`;
  beforeEach(async () => {
    await at.night(streams, { lie });
    expect(await shared()).toEqual([]);
    more("link_of_b", ROWS, 2);
  });

  test.each([
    // The other's own link comes at last.
    ["goes on where it was once the other's list has it no longer", ROWS + 2, undefined],
    [
      "goes on where it was while both list it",
      2,
      ({ path }: { path: string }) => (path.startsWith(`/users/${a}/`) ? lie({ path }) : undefined),
    ],
  ])("%s, is found, and --full --links puts it right", async (_, rows, stays) => {
    const { totals } = await at.night(streams, { ...(stays && { lie: stays }) });
    expect(totals).toMatchObject({ failures: [], rows: { created: rows } });
    expect(await shared()).toEqual(["link_of_b"]);
    const again = await at.night(streams, { full: true, only: ["link_of_b"] });
    expect(again.totals).toMatchObject({ failures: [], rows: { created: ROWS + 2, removed: 0 } });
    expect(await shared()).toEqual([]);
    expect(await at.rows(newest)).toEqual([{ fp_id: b }]);
  });
});

// The user failed, and the links that they have now never came.
test("accounts of a link that the user had, and that is gone, are theirs while they are listed", async () => {
  const streams = ["accounts", "bank_links", "transactions"];
  await at.night(streams);
  const sandbox = at.bench.sandbox;
  sandbox.addLink({ fp_id: "user_link_of_a", id: "link_new", accounts: [] });
  sandbox.append("link_new", [
    { change: "created", row: transactionRow({ transaction_id: "n", account_id: "acc_new" }) },
  ]);
  const lie = ({ path }: { path: string }, truth: { readonly links: readonly { readonly id: string }[] }) =>
    path === "/users/user_link_of_a/bank_links"
      ? { links: truth.links.filter(({ id }) => id === "link_new") }
      : undefined;
  expect(await at.night(streams, { lie })).toMatchObject({ failed: [], totals: { rows: { created: 1 } } });
});
