import { expect, test } from "vitest";
import { checkBalances } from "../../../../src/lake/bulk/reconcile/balances.js";
import { openLake } from "../../../../src/lake/lake.js";
import { eachTest, tempDirectory } from "../../../helpers/each-test.js";

const directoryOf = eachTest(tempDirectory);
const lake = eachTest(() => openLake({ directory: directoryOf.path }));

/** What one run did with link `l` and its account `a`. */
interface Night {
  /** By the clock of the run's machine. */
  readonly at: string;
  /** A new balance, where the account has one. */
  readonly balance?: number;
  /** Amounts of new posted rows, in order of sequence. */
  readonly posted?: readonly number[];
  /** Whether the link's cursor was committed; so it is with rows. */
  readonly committed?: boolean;
  /** Whether the run's row of the link is gone. */
  readonly lost?: boolean;
}

/** Judges the balance of the account over some nights. */
function judge(nights: readonly Night[]) {
  return lake.duckdb.exclusive(async (sql) => {
    await sql.run(`
      create temp table known_accounts as select 'u' as fp_id, 'l' as link_id, 'a' as account_id;
      create temp table accounts (run_id varchar, fp_id varchar, link_id varchar, account_id varchar,
        observed_at timestamptz, balance_current decimal(28,10), balance_currency varchar, gone boolean);
      create temp table link_syncs (run_id varchar, link_id varchar, status varchar, certificate varchar,
        certificate_prev varchar, sequence_to bigint);
      create temp table transaction_changes (run_id varchar, link_id varchar, account_id varchar,
        transaction_id varchar, change_type varchar, pending boolean, currency varchar,
        signed_amount decimal(28,10), sequence bigint, fetched_at timestamptz)`);
    let head = "null";
    let sequence = 0;
    for (const [n, { at, balance, posted = [], committed = posted.length > 0, lost }] of nights.entries()) {
      if (balance !== undefined) {
        await sql.run(
          `insert into accounts values ('r${n}', 'u', 'l', 'a', '${at}', ${balance}, 'USD', null)`,
        );
      }
      for (const amount of posted) {
        sequence += 1;
        await sql.run(`insert into transaction_changes values
          ('r${n}', 'l', 'a', 't${sequence}', 'created', false, 'USD', ${amount}, ${sequence}, '${at}')`);
      }
      const certificate = committed ? `'c${n}'` : "null";
      const status = posted.length > 0 ? "synced" : "unchanged";
      const to = posted.length > 0 ? sequence : "null";
      if (!lost) {
        await sql.run(
          `insert into link_syncs values ('r${n}', 'l', '${status}', ${certificate}, ${head}, ${to})`,
        );
      }
      head = committed ? certificate : head;
    }
    const check = await checkBalances(sql, () => 0);
    const { status, reason, change, posted } = check("u", "l", "a");
    return { status, reason, change: change && Number(change), posted: posted && Number(posted) };
  });
}

const day = (n: number) => `2026-11-${String(n).padStart(2, "0")}T02:00:00Z`;
const FIRST: Night = { at: day(1), balance: 100, posted: [1, 2] };

test.each<[string, Night[], number]>([
  ["the next night", [{ at: day(2), balance: 110, posted: [10] }], 10],
  [
    "a night with a clock that was ahead, and the next one",
    [
      { at: day(20), balance: 130, posted: [30] },
      { at: `${day(20).slice(0, -1)}.000001Z`, balance: 135, posted: [5] },
    ],
    5,
  ],
  [
    "a night with a clock that was ahead and without rows, then rows by the right clock",
    [
      { at: day(20), balance: 100.5 },
      { at: `${day(20).slice(0, -1)}.000001Z`, balance: 105.5, posted: [5] },
    ],
    5,
  ],
  [
    "nights that committed a cursor alone, or nothing, on both sides",
    [
      { at: day(2), committed: true },
      { at: day(3), balance: 107, posted: [3, 4] },
      { at: day(4), committed: true },
      { at: day(5), committed: true },
      { at: day(6) },
      { at: day(7), balance: 109, posted: [2] },
      { at: day(8), posted: [50] },
    ],
    2,
  ],
])("equal over %s", async (_, nights, posted) => {
  expect(await judge([FIRST, ...nights])).toEqual({ status: "equal", reason: null, change: posted, posted });
});

test("equal from a night before the link's first commit", async () => {
  expect(
    await judge([
      { at: day(1), balance: 0 },
      { ...FIRST, at: day(2), balance: 3 },
    ]),
  ).toEqual({
    ...{ status: "equal", reason: null, change: 3, posted: 3 },
  });
});

test("differs by what was not posted", async () => {
  expect(await judge([FIRST, { at: day(2), balance: 110, posted: [9] }])).toEqual({
    ...{ status: "differs", reason: null, change: 10, posted: 9 },
  });
});

test.each<[string, Night[]]>([
  ["the run's own row is lost", [FIRST, { at: day(2), balance: 110, posted: [10], lost: true }]],
  [
    "a certificate that leads on is lost",
    [FIRST, { at: day(2), committed: true, lost: true }, { at: day(3), balance: 110 }],
  ],
])("unknown where %s", async (_, nights) => {
  expect(await judge(nights)).toMatchObject({ status: "unknown", reason: "link_not_read" });
});
