import { InputError } from "../../../domain/failures.js";
import type { Person } from "../../../domain/tables/person.js";
import { csvLine } from "../../csv-line.js";
import { schemaActions, type TableSpec } from "../../delta/delta-schema.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import { unreadActions } from "../../history/whole-lists.js";
import type { Lake } from "../../lake.js";
import { materialize } from "../../materialize/materialize.js";
import { type LakeReader, readTables } from "../../query/query-views.js";
import { sqlText } from "../../sql/duckdb-sql.js";
import { appendDecided } from "../../tables/append.js";
import { transactionImports } from "../../tables/bulk.js";
import { erasures, holds } from "../../tables/erasures.js";
import { businessInsights, KYB_TABLES } from "../../tables/kyb.js";
import { linkSyncs } from "../../tables/link-syncs.js";
import { onboardingEvents, onboardings } from "../../tables/onboardings.js";
import { writeRows } from "../../tables/parquet-file.js";
import { runFailures } from "../../tables/runs.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";
import { linkCheckpoint, linkCheckpoints } from "../link-checkpoint.js";
import {
  type Erasing,
  erasableRows,
  eraseRows,
  haveRebuilt,
  recordErased,
  recordedNow,
  type TableRows,
} from "./erase-rows.js";
import { forgetting, remembering, wasForgotten } from "./forgotten.js";
import { assertNotHeld } from "./holds.js";
import { namesPersons, personOf, unnamedRows } from "./person.js";

export interface Requester {
  readonly reason: string;
  readonly by: string;
}

/** Counts a person's rows, of each table that has some. */
export async function rowsOfPerson(
  lake: LakeReader,
  tables: readonly TableSpec[],
  person: Person,
): Promise<TableRows[]> {
  const links = await linksOf(lake, tables, person.fpId);
  return erasableRows(lake, tables, await personRows(lake, tables, person, links));
}

interface ForgetOptions extends Requester {
  readonly signal?: AbortSignal;
  /** Even if no table has any. */
  readonly isStaged?: boolean;
  /** Before each table. */
  readonly onTable?: (table: string) => void;
  /**
   * Once no sync that begins will read the person, and before anything is erased.
   * @throws where something that began before may still write the person's rows
   */
  readonly beforeErasing?: () => Promise<void>;
}

/**
 * Erases a person from every table, with all earlier versions (docs/run/operate.md, "Forget a person"). Nothing may run on
 * the lake meanwhile. Killed anywhere, it does the rest when it is called again.
 * @param id `fp_id`, or an external id
 * @returns the rows of `erasures` for this call, and for calls that were cut short
 * @throws InputError for a person under a legal hold; StoreFullError; the signal's reason
 */
export async function forget(
  lake: Lake,
  tables: readonly TableSpec[],
  id: string,
  { by, reason, signal, isStaged = false, onTable, beforeErasing }: ForgetOptions,
): Promise<TableRows[]> {
  const person = await personOf(lake, tables, id);
  const { fpId } = person;
  await assertNotHeld(lake, person, "Nothing was erased.");
  const isKnown = isStaged || wasForgotten(await lake.table(transactionChanges.name).snapshot(), fpId);
  if (!isKnown && (await rowsOfPerson(lake, tables, person)).length === 0) {
    throw new InputError(
      `No table has rows of ${id}, so there is nothing to forget, and nothing was recorded. Check the id: nightledger query "select distinct fp_id from transactions"`,
    );
  }
  let links: readonly string[] = [];
  await lake.table(transactionChanges.name).commit(async (feed) => {
    links = await linksOf(lake, tables, fpId);
    return [...schemaActions(transactionChanges, feed, Date.now()), ...forgetting(feed, fpId, links)];
  });
  await beforeErasing?.();
  await eraseOutcomes(lake, person);
  const isShared = await hasSharedLink(lake, fpId);
  const erasing = await personRows(lake, tables, person, links);
  // What stays of such a link depends on what goes. Killed from here on, a later call or sync makes `transactions` again.
  if (isShared) await haveRebuilt(lake, transactions);
  for (const rows of erasing) {
    const { name } = rows.spec;
    await assertNotHeld(lake, person, `What ${name} and the tables after it have of them stays.`);
    onTable?.(name);
    const also = (now: Snapshot, at: number) => unreadActions(now, fpId, at);
    await eraseRows(lake, { ...rows, owner: fpId, also }, signal);
  }
  for (const folder of [...tables.map(({ name }) => name), "_batches"])
    await lake.store.discardTemporary(`${folder}/`, Number.POSITIVE_INFINITY);
  await materialize(lake, signal === undefined ? {} : { signal });
  const isRecorded = `fp_id = ${sqlText(fpId)} and state = 'forgotten'`;
  const row = { fp_id: fpId, state: "forgotten", recorded_by: by, reason };
  return recordErased(lake, tables, { owner: fpId, isRecorded }, row);
}

/** Lets a sync read persons again. The feed's log decides, so that is last; killed before, the same call does it. */
export async function readAgain(
  lake: Lake,
  fpIds: readonly string[],
  { by, reason }: Requester,
): Promise<void> {
  const state = { state: "again", recorded_by: by, reason };
  await appendDecided(lake, erasures, async () => {
    const recorded_at = await recordedNow(lake, erasures, fpIds);
    const rows = fpIds.map((fp_id) => ({ fp_id, ...state, recorded_at }));
    return { files: await writeRows(lake, erasures, "again", rows), result: undefined };
  });
  await lake.table(transactionChanges.name).commit((feed) => remembering(feed, fpIds));
}

/**
 * Those that were read for the person or whose rows the feed has, and those that only another table has: rows may be
 * imported into them.
 */
async function linksOf(lake: LakeReader, tables: readonly TableSpec[], fpId: string): Promise<string[]> {
  const feed = await lake.table(transactionChanges.name).snapshot();
  const links = new Set<string>();
  for (const [link, { fp_id }] of linkCheckpoints(feed)) if (fp_id === fpId) links.add(link);
  const known = tables.filter(({ columns }) =>
    ["fp_id", "link_id"].every((name) => columns.some((column) => column.name === name)),
  );
  const some = known.map(
    ({ name }) =>
      `select link_id, ${name === transactionChanges.name} as fed from ${name} where fp_id = ${sqlText(fpId)}`,
  );
  const rows = await readTables(lake, known, (sql) =>
    sql.rows(
      `select link_id, bool_or(fed) as fed from (${some.join(" union all ")}) where link_id is not null group by link_id`,
    ),
  );
  for (const { link_id, fed } of rows) {
    // A link that two users list is of the one for whom it was read.
    if (fed || linkCheckpoint(feed, String(link_id)) === undefined) links.add(String(link_id));
  }
  return [...links];
}

/** A link that has moved has rows of two users. */
async function hasSharedLink(lake: LakeReader, fpId: string): Promise<boolean> {
  const rows = await readTables(lake, [transactionChanges], (sql) =>
    sql.rowsAtOnce(`select 1 from transaction_changes where fp_id is distinct from ${sqlText(fpId)}
      and link_id in (select link_id from transaction_changes where fp_id = ${sqlText(fpId)}) limit 1`),
  );
  return rows.length > 0;
}

/** Of a line of outcomes, no business's. The cells before need no quotes. */
const IDS = /^[^,]*,(?!business)[^,]*,([^,]*),[^,]*,("(?:[^"]|"")*"|[^,]*),/;

async function eraseOutcomes({ store }: Lake, { fpId, externalIds }: Person): Promise<void> {
  const cells = new Set([fpId, ...externalIds].map((id) => csvLine([id]).trimEnd()));
  for (const { key } of await store.list("_batches/")) {
    if (!key.endsWith("/outcomes.csv")) continue;
    const text = (await store.get(key))?.toString("utf8") ?? "";
    const lines = text.split(/(?<=\n)/);
    const kept = lines.filter(
      (line) =>
        !IDS.exec(line)
          ?.slice(1)
          .some((cell) => cells.has(cell)),
    );
    if (kept.length < lines.length) await store.put(key, kept.join(""), { durable: true });
  }
}

/** Proofs of what was there, and of what became of it. */
const kept = new Set<TableSpec>([linkSyncs, erasures, holds]);
const ofKyb = new Set<TableSpec>(KYB_TABLES);

/** Of some, only what the roster calls the person goes. */
type PersonRows = Pick<Erasing, "spec" | "condition" | "blank">;

/**
 * Tables whose rows are known by those of others come first, and last the onboardings: often they alone have whose an
 * external id is.
 * @param links the person's bank links
 */
async function personRows(
  lake: LakeReader,
  tables: readonly TableSpec[],
  { fpId, externalIds, lines }: Person,
  links: readonly string[],
): Promise<PersonRows[]> {
  const own = `fp_id = ${sqlText(fpId)}`;
  const feed = await lake.table(transactionChanges.name).snapshot();
  // What was imported into a link that has moved is the present owner's, and keeps it from being sent twice.
  const present = links.filter((link) => (linkCheckpoint(feed, link)?.fp_id ?? fpId) === fpId);
  const known = await readTables(lake, [businessInsights], (sql) =>
    sql.rows(`select distinct fp_bid, onboarding_id from business_insights where ${own}`),
  );
  const batchRows = lines.map(({ batch_id, line }) => `(${sqlText(batch_id)}, ${line})`);
  const businesses = known.map(
    (row) => `(${sqlText(String(row.fp_bid))}, ${sqlText(String(row.onboarding_id ?? ""))})`,
  );
  const ofRows = within("batch_id, line", batchRows);
  const ofBusinesses = within("fp_bid, coalesce(onboarding_id, '')", businesses);
  const byOthers = (spec: TableSpec): string | undefined => {
    if (spec === transactionImports) return within("link_id", present.map(sqlText));
    if (spec === onboardingEvents) return ofRows;
    // A later file may name a business without its person.
    if (spec === businessInsights) return `fp_id is null and ${ofBusinesses}`;
    if (ofKyb.has(spec)) return ofBusinesses;
    return spec !== onboardings && namesPersons(spec) ? unnamedRows(externalIds) : undefined;
  };
  // Earlier attempts of a row may have no fp_id yet.
  const byRows = (spec: TableSpec) => (spec === onboardings ? ofRows : undefined);
  const byOwn = (spec: TableSpec): string | undefined => {
    if (spec === runFailures) return `owner = ${sqlText(fpId)}`;
    return spec !== onboardings && spec.columns.some(({ name }) => name === "fp_id") ? own : undefined;
  };
  const named = { spec: linkSyncs, condition: own, blank: ["external_id"] };
  return [byOthers, byOwn, byRows]
    .flatMap<PersonRows>((conditionOf) =>
      tables.flatMap((spec) => {
        const condition = kept.has(spec) ? undefined : conditionOf(spec);
        return condition === undefined ? [] : [{ spec, condition }];
      }),
    )
    .concat(named);
}

function within(columns: string, rows: readonly string[]): string {
  return rows.length === 0 ? "false" : `(${columns}) in (${rows.join(", ")})`;
}
