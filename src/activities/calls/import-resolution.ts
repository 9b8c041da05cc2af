import { cancellationSignal } from "@temporalio/activity";
import { readUpdate } from "../../api/lists/read-update.js";
import type { importTransactions } from "../../api/operations/bank-data.js";
import type { ParamsOf } from "../../api/operations/operation.js";
import type { Dependencies } from "../dependencies.js";
import type { Finding } from "./lost-call.js";

export interface ImportedRows {
  readonly sent: number;
  readonly found: number;
  /** Indexes of rows whose fate is unknown: nothing tells whether a lost request imported them. */
  readonly unknown: readonly number[];
}

type Import = ParamsOf<typeof importTransactions>;
type Row = Import["body"]["transactions"][number];

/** Looks for rows of a lost import in the link's history by id; rows without one are never sent again. */
export async function findImported(
  deps: Dependencies,
  params: Import,
  run: string,
): Promise<Finding<Import, ImportedRows>> {
  const { transactions } = params.body;
  const named = transactions.filter(({ transaction_id }) => transaction_id !== undefined);
  const unknown = transactions.flatMap((row, index) => (row.transaction_id === undefined ? [index] : []));
  const there = await namesInLink(deps, params.path.link_id, new Set(named.map(nameOf)), run);
  const missing = named.filter((row) => !there.has(nameOf(row)));
  const found = named.length - missing.length;
  const [first, ...rest] = missing;
  if (first === undefined) return { found: { sent: 0, found, unknown } };
  return {
    missing: { ...params, body: { transactions: [first, ...rest] } },
    complete: ({ sent }) => ({ sent, found, unknown }),
  };
}

async function namesInLink(
  deps: Dependencies,
  link_id: string,
  wanted: ReadonlySet<string>,
  run: string,
): Promise<ReadonlySet<string>> {
  let there = new Set<string>();
  let reading = 0;
  if (wanted.size === 0) return there;
  for await (const { pass, body } of readUpdate(
    deps.api,
    { link_id },
    { signal: cancellationSignal(), run },
  )) {
    if (pass !== reading) there = new Set();
    reading = pass;
    const { created, updated } = body.transactions;
    for (const row of [...created, ...updated] as Partial<Row>[]) {
      const name = nameOf(row);
      if (wanted.has(name)) there.add(name);
    }
  }
  return there;
}

function nameOf({ account_id, transaction_id }: Partial<Row>): string {
  return JSON.stringify([account_id, transaction_id]);
}
