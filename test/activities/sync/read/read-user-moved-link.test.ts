import { afterEach, beforeEach, expect, test } from "vitest";
import { transactionRow } from "../../../../sandbox/index.js";
import { lakeAccounts } from "../../../../src/lake/bulk/reconcile/lake-accounts.js";
import { bringUpCurrent } from "../../../../src/lake/history/current-table.js";
import type { HistorySpec } from "../../../../src/lake/history/history-spec.js";
import { sharedLinks } from "../../../../src/lake/sync/lake-check.js";
import { bankLinkStream } from "../../../../src/streams/bank-links.js";
import { LiedToNights } from "../../../helpers/sync/lied-to-nights.js";

const STREAMS = ["accounts", "bank_links", "transactions"];

let at: LiedToNights;
beforeEach(async () => {
  at = await LiedToNights.open();
  // Users are read in this order.
  for (const fp_id of ["u_1", "u_2", "u_3"]) at.bench.sandbox.addUser({ fp_id });
  at.bench.sandbox.addLink({ fp_id: "u_2", id: "l", accounts: [{ id: "acc" }] });
  more(0, 30);
});
afterEach(() => at.close());

function more(from: number, count: number): void {
  const ids = Array.from({ length: count }, (_, n) => `t${from + n}`);
  at.bench.sandbox.append(
    "l",
    ids.map((id) => ({
      change: "created",
      row: transactionRow({ transaction_id: id, account_id: "acc" }),
    })),
  );
}

type List = Record<string, object[]>;
async function honest(path: string): Promise<List> {
  const { apiKey, url } = at.bench.sandbox;
  const authorization = `Basic ${Buffer.from(`${apiKey}:`).toString("base64")}`;
  return (await fetch(`${url}${path}`, { headers: { authorization } })).json() as Promise<List>;
}

/** What the service says once the link is of `owner`, and in which state the list of its first owner still has it. */
function movedTo(owner: string, state: string | null) {
  return async ({ path }: { path: string }, truth: object) => {
    const list = truth as List;
    if (path === "/users/u_2/bank_links")
      return { links: state === null ? [] : list.links!.map((link) => ({ ...link, state })) };
    if (path === "/users/u_2/linked_bank_accounts")
      return { accounts: state === "connected" ? list.accounts : [] };
    if (path === `/users/${owner}/linked_bank_accounts`) return honest("/users/u_2/linked_bank_accounts");
    if (path !== `/users/${owner}/bank_links`) return undefined;
    const { links = [] } = await honest("/users/u_2/bank_links");
    return { links: links.map((link) => ({ ...link, fp_id: owner })) };
  };
}

const linkSyncs = (night: number) =>
  at.rows(`select fp_id, status, generation::int as generation, created::int as created
    from link_syncs where run_id = 'night-${night}'`);

test.each(["u_1", "u_3"])(
  "a link that its first owner lists as deleted is read for %s, once",
  async (owner) => {
    await at.night(STREAMS);
    more(30, 5);
    const { totals } = await at.night(STREAMS, { lie: movedTo(owner, "deleted") });
    expect(totals.links).toMatchObject({ synced: 1, skipped: 0 });
    expect(await linkSyncs(2)).toMatchObject([{ fp_id: owner, status: "synced" }]);
  },
);

test("a link that both list as deleted is one row", async () => {
  const deleted = movedTo("u_3", "deleted");
  const lie: typeof deleted = async (request, truth) => {
    const said = (await deleted(request, truth)) as List | undefined;
    return said?.links ? { links: said.links.map((link) => ({ ...link, state: "deleted" })) } : said;
  };
  await at.night(STREAMS, { lie });
  expect(await linkSyncs(1)).toMatchObject([{ status: "skipped" }]);
});

test.each([
  ["u_1", null],
  ["u_3", null],
  ["u_3", "deleted"],
])(
  "a link that moves to %s, and that its first owner lists as %s, comes whole under its new one",
  async (owner, state) => {
    await at.night(STREAMS);
    more(30, 5);
    const lie = movedTo(owner, state);
    await at.night(STREAMS, { lie });
    expect(await linkSyncs(2)).toMatchObject([{ fp_id: owner, generation: 2, created: 35 }]);
    const spec = bankLinkStream.table as HistorySpec;
    await bringUpCurrent(at.bench.deps.lake, spec, "test");
    expect(await sharedLinks(at.bench.deps.lake, spec)).toEqual([]);
    // A reconciliation found its rows missing for the first owner.
    const accounts = await lakeAccounts(at.bench.deps.lake, { fpIds: ["u_1", "u_2", "u_3"] });
    expect([...accounts]).toMatchObject([[owner, [{ linkId: "l", rows: 35 }]]]);
    more(35, 5);
    await at.night(STREAMS, { lie });
    expect(await linkSyncs(3)).toMatchObject([{ fp_id: owner, generation: 2, created: 5 }]);
  },
);

test("a link that two users list goes on where it was, night after night", async () => {
  for (let night = 1; night <= 4; night += 1) {
    await at.night(STREAMS, { lie: night === 1 ? undefined : movedTo("u_1", "connected") });
    expect(await linkSyncs(night)).toMatchObject([{ generation: 1, created: night === 1 ? 30 : 5 }]);
    more(25 + 5 * night, 5);
  }
});

test.each([
  ["about somebody else", 200],
  ["no list", 400],
])("an answer for the former owner that is %s moves no row", async (_, status) => {
  await at.night(STREAMS);
  more(30, 5);
  const moved = movedTo("u_1", null);
  await at.night(STREAMS, {
    lie: async (request, truth) => {
      if (request.path !== "/users/u_2/bank_links") return moved(request, truth);
      const links = [{ ...(truth as List).links![0], id: "another", fp_id: "u_3" }];
      return status === 200 ? { links } : { links: status };
    },
  });
  expect(await linkSyncs(2)).toMatchObject([{ fp_id: "u_1", generation: 1, created: 5 }]);
});
