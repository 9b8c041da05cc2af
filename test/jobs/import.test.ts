import { expect, test } from "vitest";
import { LostAnswerError } from "../../src/activities/failure.js";
import { NotFoundError, RejectedError, TransientError } from "../../src/api/http/errors.js";
import type { NamedImportRow } from "../../src/domain/bulk/import-row.js";
import { UnsendableError } from "../../src/domain/failures.js";
import { importJob } from "../../src/jobs/import.js";
import type { JobRow } from "../../src/jobs/job.js";
import { openLake } from "../../src/lake/lake.js";
import { transactionImports } from "../../src/lake/tables/bulk.js";
import { transactionChanges } from "../../src/lake/tables/transactions.js";
import { eachTest, tempDirectory } from "../helpers/each-test.js";
import { appendRows } from "../helpers/query/append-rows.js";

const CALL = { operation: "import_transactions", sent: true } as const;
const rows: JobRow<NamedImportRow>[] = [1, 2, 3, 4].map((line) => ({
  line,
  row: {
    link_id: "l",
    account_id: "a",
    amount: `${line}.00`,
    date: "2026-11-02",
    transaction_id: `t${line}`,
  },
}));

/** A caller whose requests end as `end` says of the rows' ids. */
function callerOf(end: (ids: readonly string[]) => Error | undefined) {
  const requests: string[][] = [];
  const names: string[] = [];
  const once = async (name: string, _: unknown, params: { body: { transactions: NamedImportRow[] } }) => {
    const ids = params.body.transactions.map(({ transaction_id }) => transaction_id);
    requests.push(ids);
    names.push(name);
    const error = end(ids);
    if (error !== undefined) throw error;
    return { body: { sent: ids.length, found: 0, unknown: [] }, at: 1, asked: 1, repeated: "no" as const };
  };
  const given = { isSeen: true, isFirst: true, beside: [] };
  const caller = { options: { chunk: 500 }, given, once } as unknown as Parameters<typeof importJob.work>[1];
  return { caller, requests, names };
}

const statusesOf = async (end: (ids: readonly string[]) => Error | undefined) => {
  const { caller, requests, names } = callerOf(end);
  const result = await importJob.work(rows, caller);
  expect(new Set(names).size).toBe(names.length);
  return {
    requests,
    ends: result.rows.map(({ status, reason }) => (reason === null ? status : `${status} ${reason}`)),
  };
};
const rejected = (status: number) => new RejectedError({ ...CALL, status });
const lost = () => new LostAnswerError("import_transactions", 0);

test("a row that can't be sent is found like one that the service refuses; the others are sent", async () => {
  const broken = new UnsendableError("body field transactions.0.amount: too long", "import_transactions: no");
  const { ends } = await statusesOf((ids) => (ids.includes("t3") ? broken : undefined));
  const unsendable = "refused unsendable body field transactions.0.amount: too long";
  expect(ends).toEqual(["accepted", "accepted", unsendable, "accepted"]);
});

test("of a lost answer its rows are unknown, the others continue", async () => {
  const { ends } = await statusesOf((ids) => {
    if (ids.includes("t4")) return ids.length === 1 ? undefined : rejected(400);
    return ids.includes("t1") ? lost() : undefined;
  });
  expect(ends).toEqual(["unknown lost_answer", "unknown lost_answer", "accepted", "accepted"]);
});

test("a link that is gone costs one request, also in the middle of a chunk", async () => {
  const first = await statusesOf(() => new NotFoundError({ ...CALL, status: 404 }));
  expect(first.ends).toEqual(Array(4).fill("refused not_found"));
  expect(first.requests.length).toBe(1);
  let request = 0;
  const later = await statusesOf(() => {
    request += 1;
    if (request === 1) return rejected(400);
    return request === 2 ? undefined : new NotFoundError({ ...CALL, status: 404 });
  });
  expect(later.ends).toEqual(["accepted", "accepted", "refused not_found", "refused not_found"]);
  expect(later.requests.length).toBe(3);
});

test("what the service said of a refused row is in the ledger and in the row's end", async () => {
  const said = "transactions[0]: [value] is not an account";
  const refuse = (ids: readonly string[]) =>
    ids.includes("t3") ? new RejectedError({ ...CALL, status: 422, serviceMessage: said }) : undefined;
  const result = await importJob.work(rows, callerOf(refuse).caller);
  const item = { rows, result, reason: null, asked: 0 };
  const place = { runId: "r", lake: null as never, sealer: null as never, options: { chunk: 500 } };
  expect(importJob.end?.(result, 2)).toEqual({
    status: "failed",
    reason: "refused http_422",
    refused: { status: 422, message: said },
  });
  const { transaction_imports } = importJob.rows(place, item);
  expect(transaction_imports?.map(({ error_message }) => error_message)).toEqual([null, null, said, null]);
});

test("what passes is left to the engine", async () => {
  const passing = new TransientError({ ...CALL, status: 503 }, "http_503");
  await expect(importJob.work(rows, callerOf(() => passing).caller)).rejects.toBe(passing);
});

test.each([
  [0, "refused"],
  [1, "unknown"],
])("a chunk that did not end, after %i requests: %s", (asked, status) => {
  const item = { rows, result: null, reason: "gave_up http_503", asked };
  const place = { runId: "r", lake: null as never, sealer: null as never, options: { chunk: 500 } };
  const { transaction_imports } = importJob.rows(place, item);
  expect(transaction_imports).toMatchObject(
    rows.map(({ line }) => ({ line, status, reason: "gave_up http_503" })),
  );
});

const temp = eachTest(tempDirectory);
const lake = eachTest(() => openLake({ directory: temp.path }));

async function ledger(...entries: { id: string; status: string; account?: string }[]) {
  const values = entries.map(({ id, status, account = "a" }) => {
    return { link_id: "l", account_id: account, transaction_id: id, status };
  });
  await appendRows(lake, transactionImports, values);
}

const planned = async (options: Readonly<Record<string, number | boolean>> = {}) => {
  const place = { runId: "r", lake, sealer: null as never, options: { chunk: 3, ...options } };
  const { work, ended } = await importJob.plan!(place, rows);
  return {
    work: work.map((item) => item.rows.map(({ line }) => line)),
    ended: ended.map((item) => [item.result.rows[0]?.status, item.rows.map(({ line }) => line)]),
  };
};

test("without a ledger all rows are sent, in chunks", async () => {
  expect(await planned()).toEqual({ work: [[1, 2, 3], [4]], ended: [] });
});

test("what the ledger has is skipped, what it can't tell is not sent again by itself", async () => {
  await ledger(
    { id: "t1", status: "accepted" },
    { id: "t2", status: "unknown" },
    { id: "t3", status: "refused" },
  );
  await ledger({ id: "t4", status: "accepted", account: "another" });
  expect(await planned()).toEqual({
    work: [[3, 4]],
    ended: [
      ["skipped", [1]],
      ["unknown", [2]],
    ],
  });
  expect(await planned({ send_unknown: true })).toEqual({ work: [[2, 3, 4]], ended: [["skipped", [1]]] });
});

test("a row of which nothing told is imported once a sync has seen it, or a later run was told", async () => {
  await ledger(...["t1", "t2", "t3", "t4"].map((id) => ({ id, status: "unknown" })));
  await ledger({ id: "t2", status: "accepted" }, { id: "t2", status: "unknown" });
  const change = { link_id: "l", account_id: "a", change_type: "created", sequence: 1 };
  const feed = [
    { ...change, transaction_id: "t1" },
    { ...change, transaction_id: "t3", account_id: "another" },
    { ...change, transaction_id: "t4", change_type: "removed" },
  ];
  await appendRows(lake, transactionChanges, feed);
  expect(await planned({ send_unknown: true })).toEqual({ work: [[3, 4]], ended: [["skipped", [1, 2]]] });
});
