import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "../../../sandbox/index.js";
import { type CertificateFields, certificateText } from "../../../src/domain/sync/certificate.js";
import { type LakeQuery, openQuery } from "../../../src/lake/query/query.js";
import { createDuckDb } from "../../../src/lake/sql/duckdb.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { checkLake } from "../../../src/lake/sync/lake-check.js";
import { TABLES } from "../../../src/tables.js";
import { auditInvestments } from "../sync/investment-audit.js";
import { COMPARED, expectedRow } from "./expected-row.js";

type Row = Readonly<Record<string, unknown>>;

const MOST_SHOWN = 5;

/** Reads a lake with an engine of its own; released after `work`. */
export async function withLake<T>(lake: string, work: (query: LakeQuery) => Promise<T>): Promise<T> {
  const scratchDirectory = await mkdtemp(join(tmpdir(), "nightledger-audit-"));
  const query = openQuery(createLocalStore(lake), { scratchDirectory, tables: TABLES });
  try {
    return await work(query);
  } finally {
    await query.close();
    await rm(scratchDirectory, { recursive: true, force: true });
  }
}

/** All rows of one statement. */
export async function rowsOf(query: LakeQuery, sql: string): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of query.query(sql)) rows.push(...batch);
  return rows;
}

/**
 * Everything that is not exactly right in a lake after its runs ended, in words; empty when nothing is.
 *
 * @param links those that were synced; without them every connected link of the stand-in.
 */
export async function auditLake(
  lake: string,
  sandbox: Sandbox,
  links: readonly string[] = connectedLinks(sandbox),
): Promise<string[]> {
  return withLake(lake, async (query) => [
    ...(await auditTransactions(query, sandbox, links)),
    ...(await auditFeed(query, sandbox, links)),
    ...(await auditCertificates(query)),
    ...(await auditProof(lake)),
    ...(await auditRuns(query)),
    ...(await auditHistories(query)),
    ...(await auditObservedInvestments(query, sandbox, links)),
    ...(await auditStaging(lake, query)),
  ]);
}

/** The links that a sync reads. */
export function connectedLinks(sandbox: Sandbox): string[] {
  return [...sandbox.world.links.values()]
    .filter((link) => JSON.parse(link.text).state === "connected")
    .map((link) => link.id);
}

/** `transactions` against the rows that the stand-in has now, value by value. */
async function auditTransactions(query: LakeQuery, sandbox: Sandbox, links: readonly string[]) {
  const expected = new Map<string, string>();
  for (const link of links) {
    for (const row of sandbox.truthRows(link)) {
      expected.set(`${link}/${row.transaction_id}`, JSON.stringify(expectedRow(row)));
    }
  }
  const problems: string[] = [];
  for (const row of await rowsOf(query, `select ${COMPARED} from transactions`)) {
    const key = `${row.link_id}/${row.transaction_id}`;
    const wanted = expected.get(key);
    if (wanted === undefined) problems.push(`transactions: ${key} is doubled or should not be there`);
    else if (wanted !== JSON.stringify(row)) {
      problems.push(`transactions: ${key} is ${JSON.stringify(row)}, not ${wanted}`);
    }
    expected.delete(key);
  }
  for (const key of expected.keys()) problems.push(`transactions: ${key} is missing`);
  return few(problems);
}

/** The feed: no sequence twice, and each event of the links' logs delivered once. */
async function auditFeed(query: LakeQuery, sandbox: Sandbox, links: readonly string[]) {
  const problems: string[] = [];
  const doubled = await rowsOf(
    query,
    `select link_id, sequence, count(*) as n from transaction_changes group by all having count(*) > 1`,
  );
  for (const { link_id, sequence } of doubled)
    problems.push(`feed: ${link_id} has sequence ${sequence} twice`);
  const counts = new Map<string, number>();
  for (const link of links) {
    for (const { change, id } of sandbox.truth(link).events) {
      const key = `${link} ${change} ${id}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const delivered = await rowsOf(
    query,
    `select link_id, change_type, transaction_id, count(*) as n from transaction_changes
     where not inferred group by all`,
  );
  for (const { link_id, change_type, transaction_id, n } of delivered) {
    const key = `${link_id} ${change_type} ${transaction_id}`;
    if (counts.get(key) !== n) problems.push(`feed: ${key} is there ${n} times, not ${counts.get(key) ?? 0}`);
    counts.delete(key);
  }
  for (const [key, n] of counts) problems.push(`feed: ${key} is missing, ${n} times`);
  return few(problems);
}

/** `link_syncs`: certificates are right by their fields, chain per link, and say what the feed holds. */
async function auditCertificates(query: LakeQuery) {
  const problems: string[] = [];
  const rows = await rowsOf(query, `select * from link_syncs where certificate is not null`);
  const known = new Set(rows.map((row) => `${row.link_id} ${row.certificate}`));
  const followed = new Set<string>();
  for (const row of rows) {
    const { link_id: link, certificate, certificate_prev: before } = row;
    const place = `${link} ${before}`;
    if ((before !== null && !known.has(place)) || followed.has(place)) {
      problems.push(`certificates: the chain of ${link} is broken`);
    }
    followed.add(place);
    const text = certificateText(row as unknown as CertificateFields);
    if (createHash("sha256").update(text).digest("hex") !== certificate) {
      problems.push(`certificates: that of ${link} in ${row.run_id} does not fit its fields`);
    }
  }
  const apart = await rowsOf(
    query,
    `with fed as (
       select run_id, link_id, count(*) filter (change_type = 'created') as created,
         count(*) filter (change_type = 'updated') as updated,
         count(*) filter (change_type = 'removed') as removed,
         min(sequence) as sequence_from, max(sequence) as sequence_to
       from transaction_changes group by all
     ), told as (
       select run_id, link_id, created, updated, removed, sequence_from, sequence_to
       from link_syncs where created + updated + removed > 0
     )
     (from fed except from told) union all (from told except from fed)`,
  );
  for (const row of apart) problems.push(`link_syncs and feed differ: ${JSON.stringify(row)}`);
  return few(problems);
}

/** What the command `verify` finds. */
async function auditProof(lake: string): Promise<string[]> {
  const scratchDirectory = await mkdtemp(join(tmpdir(), "nightledger-audit-"));
  const duckdb = createDuckDb({ scratchDirectory });
  try {
    const { problems, pending } = await checkLake(createLocalStore(lake), duckdb, TABLES);
    const open = pending === 0 ? [] : [`${pending} links are not proved yet`];
    return few([...problems.map((problem) => JSON.stringify(problem)), ...open]);
  } finally {
    await duckdb.close();
    await rm(scratchDirectory, { recursive: true, force: true });
  }
}

const HISTORIES = { accounts: "fp_id, link_id, account_id", bank_links: "fp_id, link_id" };

/** Histories: each row differs from the one before it, and the small table has the last of each key. */
async function auditHistories(query: LakeQuery) {
  const problems: string[] = [];
  const tables = new Set((await query.listTables()).map(({ table }) => table));
  for (const [table, key] of Object.entries(HISTORIES)) {
    if (!tables.has(table)) continue;
    const same = await rowsOf(
      query,
      `select ${key}, observed_at from (
         select *, hash(*columns(* exclude (run_id, observed_at))) as values from ${table})
       qualify lag(values) over (partition by ${key} order by observed_at) = values`,
    );
    for (const row of same) problems.push(`${table}: nothing has changed in ${JSON.stringify(row)}`);
    const last = `select * exclude (gone) from (select * from ${table}
      qualify row_number() over (partition by ${key} order by observed_at desc) = 1) where gone is null`;
    const apart = await rowsOf(
      query,
      `(from ${table}_current except ${last}) union all (${last} except from ${table}_current)`,
    );
    for (const row of apart) problems.push(`${table}_current: ${JSON.stringify(row)}`);
  }
  return few(problems);
}

/** Investments, where a run has read them. */
async function auditObservedInvestments(query: LakeQuery, sandbox: Sandbox, links: readonly string[]) {
  const tables = await query.listTables();
  if (!tables.some(({ table }) => table === "investment_transaction_changes")) return [];
  const investing = links.filter((link) => sandbox.investments.transactions(link).length > 0);
  return few(await auditInvestments((sql) => rowsOf(query, sql), sandbox, investing));
}

/** One row per run, one row per link and run, one observation per run; totals add up. */
async function auditRuns(query: LakeQuery) {
  const problems: string[] = [];
  const tables = new Set((await query.listTables()).map(({ table }) => table));
  const keys = {
    runs: "run_id",
    link_syncs: "run_id, link_id",
    bank_links: "run_id, link_id",
    accounts: "run_id, link_id, account_id",
  };
  for (const [table, key] of Object.entries(keys)) {
    if (!tables.has(table)) continue;
    const doubled = await rowsOf(
      query,
      `select ${key}, count(*) as n from ${table} group by all having count(*) > 1`,
    );
    for (const row of doubled) problems.push(`${table}: ${JSON.stringify(row)}`);
  }
  const apart = await rowsOf(
    query,
    `select runs.run_id, runs.created, runs.updated, runs.removed, runs.links,
       coalesce(sum(s.created), 0) as s_created, coalesce(sum(s.updated), 0) as s_updated,
       coalesce(sum(s.removed), 0) as s_removed, count(s.run_id) as s_links
     from runs left join link_syncs s using (run_id) group by all
     having runs.created <> s_created or runs.updated <> s_updated or runs.removed <> s_removed
       or runs.links <> s_links`,
  );
  for (const row of apart) problems.push(`runs and link_syncs differ: ${JSON.stringify(row)}`);
  const orphans = await rowsOf(
    query,
    `select distinct run_id from link_syncs where run_id not in (select run_id from runs)`,
  );
  for (const { run_id } of orphans) problems.push(`runs: ${run_id} has no row`);
  return few(problems);
}

/**
 * Nothing of any run is left in the staging area. A roster that was frozen by a command killed before it
 * started its run is nobody's: no command can tell it from that of a run which is about to start.
 */
async function auditStaging(lake: string, query: LakeQuery) {
  const staging = join(lake, "_staging");
  const left = await readdir(staging).catch(() => []);
  const problems: string[] = [];
  for (const name of left.filter((one) => one !== "scratch")) {
    const parts = await readdir(join(staging, name));
    const started = await rowsOf(query, `select 1 from runs where run_id = '${name}'`);
    if (started.length === 0 && parts.join() === "roster") continue;
    problems.push(`staging: ${name} is left, with ${parts.slice(0, MOST_SHOWN).join(", ")}`);
  }
  return problems;
}

/** The first problems, and how many more there are. */
export function few(problems: readonly string[]): string[] {
  if (problems.length <= MOST_SHOWN) return [...problems];
  return [...problems.slice(0, MOST_SHOWN), `and ${problems.length - MOST_SHOWN} more`];
}
