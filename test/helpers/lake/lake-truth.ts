import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { RecordedAnswer } from "../stand-in/recording-proxy.js";
import type { Row, SyncWorld } from "../sync/sync-harness.js";
import { TRUTH_COLUMNS, truthRow } from "./truth-row.js";

interface SyncBody {
  readonly cursor?: { readonly next?: string | null } | null;
  readonly has_more: boolean;
  readonly transactions: Readonly<Record<"created" | "updated" | "removed", readonly unknown[]>>;
}

/** One page of a committed update, as it came over the wire. */
interface WirePage {
  readonly answer: RecordedAnswer;
  readonly body: SyncBody;
}

/** The rows of one link in each table. */
interface LinkRows {
  readonly live: readonly Row[];
  readonly feed: readonly Row[];
  readonly syncs: readonly Row[];
}

/**
 * Compares the whole lake with the stand-in: current rows value by value, the feed's order, the chain of
 * certificates, and what the last committed update of each link asked for and delivered.
 */
export async function expectLakeEqualsTruth(
  world: SyncWorld,
  links: readonly string[] = [...world.sandbox.world.links.keys()],
): Promise<void> {
  const rowsOf = await linkRows(world);
  for (const link of links) {
    const rows = rowsOf(link);
    const expected = [...world.sandbox.truthRows(link)].map(truthRow);
    expect(byId(rows.live)).toEqual(byId(expected));
    expectInOrder(rows);
    expectChain(world, link, rows.syncs);
  }
  // Pending rows that are replaced stay in the feed, which says nothing of it.
  if (world.sandbox.world.refreshTime === undefined) await expectCurrentState(world);
}

async function linkRows(world: SyncWorld): Promise<(link: string) => LinkRows> {
  const columns = TRUTH_COLUMNS.map((name) => `"${name}"`).join(", ");
  const live = await world.rows(`select ${columns} from transactions`);
  const feed = await world.rows(
    "select link_id, sequence, run_id, change_type, transaction_id from transaction_changes order by sequence",
  );
  const syncs = await world.rows("select * from link_syncs order by finished_at");
  const tables = [live, feed, syncs].map(byLink);
  return (link) => {
    const [one = [], two = [], three = []] = tables.map((rows) => rows.get(link) ?? []);
    return { live: one, feed: two, syncs: three };
  };
}

function byLink(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(String(row.link_id));
    if (group === undefined) groups.set(String(row.link_id), [row]);
    else group.push(row);
  }
  return groups;
}

function byId(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) => (String(a.transaction_id) < String(b.transaction_id) ? -1 : 1));
}

/** `transactions` is the newest row of each key of the feed, without those that were removed. */
export async function expectCurrentState(world: SyncWorld): Promise<void> {
  const [differing] = await world.rows(`
    with newest as (
      select link_id, transaction_id, max(sequence) as sequence, arg_max(change_type, sequence) as change_type
      from transaction_changes group by all
    ), live as (select link_id, transaction_id, sequence from newest where change_type <> 'removed')
    select count(*) as n from (
      (select * from live except all select link_id, transaction_id, sequence from transactions)
      union all
      (select link_id, transaction_id, sequence from transactions except all select * from live))`);
  expect(differing?.n).toBe(0);
}

/** Sequences of a link increase without doubles, and its certificates match the feed. */
export async function expectFeedInOrder(world: SyncWorld, link: string): Promise<void> {
  expectInOrder((await linkRows(world))(link));
}

function expectInOrder({ feed, syncs }: LinkRows): void {
  expect(new Set(feed.map(({ sequence }) => sequence)).size).toBe(feed.length);
  const commits = syncs.filter(({ certificate }) => certificate !== null);
  let last = 0;
  for (const commit of commits) {
    const rows = feed.filter(({ run_id }) => run_id === commit.run_id);
    expect(count(rows, "created")).toBe(commit.created);
    expect(count(rows, "updated")).toBe(commit.updated);
    expect(count(rows, "removed")).toBe(commit.removed);
    expect(rows.at(0)?.sequence ?? null).toBe(commit.sequence_from);
    expect(rows.at(-1)?.sequence ?? null).toBe(commit.sequence_to);
    if (rows.length === 0) continue;
    expect(Number(commit.sequence_from)).toBeGreaterThan(last);
    last = Number(commit.sequence_to);
  }
}

function count(rows: readonly Row[], change: string): number {
  return rows.filter(({ change_type }) => change_type === change).length;
}

const FIELDS = [
  "run_id",
  "link_id",
  "fp_id",
  "generation",
  "cursor_in",
  "cursor_out",
  "pages",
  "created",
  "updated",
  "removed",
  "quarantined",
  "sequence_from",
  "sequence_to",
  "pages_sha256",
  "rows_sha256",
  "certificate_prev",
];

/** Every certificate is made again from its row, chained, and from the bodies that came over the wire. */
export async function expectCertificates(world: SyncWorld, link: string): Promise<void> {
  expectChain(world, link, (await linkRows(world))(link).syncs);
}

function expectChain(world: SyncWorld, link: string, rows: readonly Row[]): void {
  let head: string | null = null;
  for (const row of rows) {
    expect(row.certificate_prev).toBe(head);
    if (row.certificate === null) continue;
    const text = FIELDS.map((name) => `${name}=${row[name] ?? ""}\n`).join("");
    expect(row.certificate).toBe(sha256(text));
    head = String(row.certificate);
  }
  const newest = rows.findLast(({ certificate }) => certificate !== null);
  if (newest !== undefined && newest === rows.at(-1)) expectPages(newest, pagesOf(world, link, newest));
}

/** The last pages that a link was answered, as many as its newest commit says it has. */
function pagesOf(world: SyncWorld, link: string, row: Row): WirePage[] {
  const pages: WirePage[] = [];
  for (const answer of world.answers) {
    if (answer.link !== link || answer.status !== 200) continue;
    const body = bodyOf(answer);
    const before = pages.at(-1)?.answer;
    // A page that a killed worker had asked for and not staged is asked for again.
    const again = before?.cursor === answer.cursor && before?.size === answer.size;
    if (body === undefined) continue;
    // What is asked once more after an update, to see whether its link has news, is none of its pages.
    if (row.cursor_in !== row.cursor_out && answer.cursor === row.cursor_out) continue;
    if (again && before?.body.equals(answer.body)) pages.pop();
    pages.push({ answer, body });
  }
  return pages.slice(-Number(row.pages));
}

function bodyOf({ body }: RecordedAnswer): SyncBody | undefined {
  try {
    return JSON.parse(body.toString("utf8")) as SyncBody;
  } catch {
    return undefined;
  }
}

function expectPages(row: Row, pages: readonly WirePage[]): void {
  expect(pages.length).toBe(row.pages);
  let hash = "";
  let cursor = row.cursor_in ?? undefined;
  for (const { answer, body } of pages) {
    expect(answer.cursor).toBe(cursor);
    hash = sha256(hash + sha256(answer.body));
    cursor = body.cursor?.next || cursor;
  }
  expect(row.pages_sha256).toBe(hash);
  expect(pages.at(-1)?.body.has_more).toBe(false);
  expect(row.cursor_out ?? undefined).toBe(cursor);
}

function sha256(text: string | Buffer): string {
  return createHash("sha256").update(text).digest("hex");
}
