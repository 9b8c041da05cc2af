import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { transactionRow } from "../../../sandbox/index.js";
import { bringUpCurrent } from "../../../src/lake/history/current-table.js";
import type { HistorySpec } from "../../../src/lake/history/history-spec.js";
import { sharedLinks } from "../../../src/lake/sync/lake-check.js";
import { bankLinkStream } from "../../../src/streams/bank-links.js";
import { auditInvestments } from "../../helpers/sync/investment-audit.js";
import { LiedToNights } from "../../helpers/sync/lied-to-nights.js";

const STREAMS = ["accounts", "bank_links", "transactions", "investment_transactions", "securities"];
const LINKS = ["link_of_a", "link_of_b"];
const ROWS = 30;

/** A page of transactions, as far as a test changes it. */
interface Page {
  readonly transactions: { readonly created: readonly object[] };
}

let at: LiedToNights;
beforeEach(async () => {
  at = await LiedToNights.open();
  for (const link of LINKS) {
    const accounts = [{ id: `acc_${link}` }];
    at.bench.sandbox.addLink({ fp_id: `user_${link}`, id: link, accounts });
    more(link, 0, ROWS);
  }
});
afterEach(() => at.close());

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

const CLEAN = { failed: [], totals: { failures: [], links: { failed: 0 }, unknown_accounts: 0 } };

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
  ["a link's page", /transactions\/sync$/, /^another_subject account_id: •••of_b for •••of_a$/, STREAMS],
  [
    "a link's investments",
    /investments/,
    /^investment_transactions: another_subject account_id: .*, link link_of_a$/,
    STREAMS,
  ],
] as const;

test("an answer about another user or link fails that one alone, and leaves nothing behind, first or later", async () => {
  const lying = async () => {
    for (const [what, pattern, reason, streams] of LIES) {
      const { failed, totals } = await at.night(streams, { lie: about(pattern) });
      const reasons = [...failed, ...totals.failures.map((failure) => failure.reason)];
      expect(reasons, what).toEqual([expect.stringMatching(reason)]);
      expect(totals.links, what).toMatchObject({ failed: /sync/.test(pattern.source) ? 1 : 0 });
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

test("rows of an account that came after the accounts were listed are taken, and counted", async () => {
  more("link_of_a", ROWS, 2, "acc_new");
  expect((await at.night(["accounts", "transactions"])).totals).toMatchObject({
    ...{ failures: [], unknown_accounts: 1, rows: { created: 2 * ROWS + 2 } },
  });
});

test("rows of an account that is gone from the list are of its link all the same", async () => {
  await at.night(["accounts", "transactions"]);
  const lie = ({ path }: { path: string }) =>
    path === "/users/user_link_of_a/linked_bank_accounts" ? { accounts: [] } : undefined;
  await at.night(["accounts"], { lie });
  await at.bench.deps.lake.duckdb.makeScratch();
  more("link_of_a", ROWS, 2);
  expect((await at.night(["accounts", "transactions"], { lie })).totals).toMatchObject({
    ...{ failures: [], rows: { created: 2 } },
  });
});

test("a run that reads no accounts takes a new account's rows, and refuses those of another link", async () => {
  await at.night(["accounts", "transactions"]);
  more("link_of_a", ROWS, 2, "acc_new");
  more("link_of_b", ROWS, 2, "acc_link_of_a");
  const { totals } = await at.night(["transactions"]);
  expect(totals).toMatchObject({ links: { synced: 1, failed: 1 }, failures: [{ owner: "link_of_b" }] });
});

// With one page of the link's own, the others' rows were published under it, and nothing repaired that.
test("one page of another link among a link's own is refused with its update", async () => {
  more("link_of_a", ROWS, 100);
  let pages = 0;
  const lie = ({ path }: { path: string }, truth: Page) => {
    if (!/link_of_a.*transactions\/sync$/.test(path)) return undefined;
    pages += 1;
    const { created } = truth.transactions;
    const theirs = created.map((row) => ({ ...row, account_id: "acc_link_of_b" }));
    return pages === 1 ? truth : { ...truth, transactions: { ...truth.transactions, created: theirs } };
  };
  const { totals } = await at.night(["accounts", "transactions"], { lie });
  expect(pages).toBeGreaterThan(1);
  expect(totals.failures).toMatchObject([
    { owner: "link_of_a", reason: expect.stringMatching(/^another_subject/) },
  ]);
  expect((await at.night(["accounts", "transactions"])).totals).toMatchObject({
    ...{ failures: [], unknown_accounts: 0, rows: { created: ROWS + 100 } },
  });
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

// A bad account cost its link every update that named that account alone.
test("rows of an account that no list has are of its link where the lake has it in rows, good or bad", async () => {
  const bad = { id: "acc_bad", link_id: "link_of_a", balances: { current: 12.5 } };
  const lie = ({ path }: { path: string }, truth: { readonly accounts: readonly object[] }) =>
    path === "/users/user_link_of_a/linked_bank_accounts"
      ? { accounts: [...truth.accounts, bad] }
      : undefined;
  more("link_of_a", ROWS, 2, "acc_unlisted");
  await at.night(["accounts", "transactions"], { lie });
  for (const account of ["acc_unlisted", "acc_bad"]) {
    more("link_of_a", 2 * ROWS, 1, account);
    const { totals } = await at.night(["accounts", "transactions"], { lie });
    expect(totals, account).toMatchObject({ failures: [], rows: { created: 1 } });
  }
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

  test("is put right by the next honest night", async () => {
    const { totals } = await at.night(streams);
    expect(totals).toMatchObject({ failures: [], rows: { created: 2 * ROWS + 2, removed: 0 } });
    expect(await shared()).toEqual([]);
    expect(await at.rows(newest)).toEqual([{ fp_id: b }]);
  });

  test("and that both now list is found, and --full --links puts it right", async () => {
    const stays = ({ path }: { path: string }) =>
      path.startsWith(`/users/${a}/`) ? lie({ path }) : undefined;
    expect((await at.night(streams, { lie: stays })).totals.failures).toEqual([]);
    expect(await shared()).toEqual(["link_of_b"]);
    const { totals } = await at.night(streams, { full: true, only: ["link_of_b"] });
    expect(totals).toMatchObject({ failures: [], rows: { created: ROWS + 2, removed: 0 } });
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
