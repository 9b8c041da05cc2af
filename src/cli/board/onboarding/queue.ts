import { DAY, SECOND } from "../../../domain/duration.js";
import { shellWord } from "../../../domain/words/shell-word.js";
import type { LakeQuery } from "../../../lake/query/query.js";
import { code, joined, type Markup, table } from "../../../pages/parts.js";
import { rowsOf } from "../../lake/query.js";
import { instant, linkTo, moreOf, statusChip } from "../shown.js";

/** Rows of each state that are shown. */
const MOST_ROWS = 50;

const STATES = ["review", "customer", "decision", "failed", "expired", "check", "cancelled"] as const;
export type QueueState = (typeof STATES)[number];

/** What a state means. */
const MEANINGS: Readonly<Record<QueueState, string>> = {
  review: "a reviewer decides it in the service's dashboard",
  customer: "the customer continues, or answers the reviewer",
  decision: "the service has not decided within an hour, and is still waited for",
  failed: "fix what its batch says, then retry the batch",
  expired: "the customer did not continue in time: ask them, then retry the batch",
  check: "look at it in the service's dashboard",
  cancelled: "give the same command again to run it",
};

/** Upper ends of the ages that are told apart, in days. */
const AGES = [1, 3, 7] as const;

/** Rows of one state, by age: under a day, one to three, three to seven, longer. */
interface StateCount {
  readonly state: QueueState;
  readonly ages: readonly number[];
  readonly total: number;
}

/** A row of `onboarding_queue`. */
interface QueueRow {
  readonly batch_id: string;
  readonly line: number;
  readonly fp_id: string | null;
  readonly fp_bid: string | null;
  readonly external_id: string | null;
  readonly status: string;
  readonly state: QueueState;
  readonly since: string | null;
  readonly started_at: string | null;
  readonly error_class: string | null;
  readonly next_action: string | null;
}

export interface Queue {
  readonly states: readonly StateCount[];
  /** The first rows of each state: those that have waited longest, of customers those that began first. */
  readonly rows: readonly QueueRow[];
}

/** Reads the queue of a batch, or of all. @param batchId was checked */
export async function readQueue(query: LakeQuery, batchId?: string): Promise<Queue> {
  const rows = `onboarding_queue ${batchId === undefined ? "" : `where batch_id = '${batchId}'`}`;
  const days = (age: number) => (age * DAY) / SECOND;
  const ages = [0, ...AGES].map((from, at) => {
    const to = AGES[at];
    const isYounger = to === undefined ? "" : ` and coalesce(age_s, 0) < ${days(to)}`;
    return `count(*) filter (coalesce(age_s, 0) >= ${days(from)}${isYounger})`;
  });
  const first = "if(state = 'customer', started_at, since) nulls first, batch_id, line";
  const sql = `with waiting as materialized (
      select batch_id, line, fp_id, fp_bid, external_id, status, state, since, age_s, started_at, error_class, next_action
      from ${rows}
    ), counted as (
      select state, [${ages.join(", ")}] as ages, count(*) as total from waiting group by state
    ), shown as (
      select * exclude (age_s) from waiting
      qualify row_number() over (partition by state order by ${first}) <= ${MOST_ROWS}
    )
    select (select list(c) from counted as c) as counted, (select list(s order by state, ${first}) from shown as s) as found`;
  const [read] = await rowsOf<QueueLists>(query, sql);
  const { counted, found } = { counted: read?.counted ?? [], found: read?.found ?? [] };
  const states = STATES.flatMap((state) => counted.filter((one) => one.state === state));
  return { states, rows: found };
}

interface QueueLists {
  readonly counted: readonly StateCount[] | null;
  readonly found: readonly QueueRow[] | null;
}

/** How many rows are in each state, by age. */
export function stateCounts({ states }: Queue): Markup {
  const columns = [
    { name: "State" },
    ...["Under a day", "1 to 3 days", "3 to 7 days", "Longer", "All"].map((name) => ({
      name,
      isCount: true,
    })),
    { name: "What it waits for" },
  ];
  const rows = states.map(({ state, ages, total }) => [state, ...ages, total, MEANINGS[state]]);
  return table("Rows that wait, by state and age", columns, rows, "No row waits for anybody.");
}

/** The rows of some states, with the count of the rest and how to get all. */
export function queueRows(
  { states, rows }: Queue,
  shown: readonly QueueState[],
  { label, none, batchId }: { readonly label: string; readonly none: string; readonly batchId?: string },
): Markup {
  const own = rows.filter(({ state }) => shown.includes(state));
  const total = states.filter(({ state }) => shown.includes(state)).reduce((sum, one) => sum + one.total, 0);
  const columns = ["Row", "Customer", "Status", "Began", "Waits since", "What to do"].map((name) => ({
    name,
  }));
  const cells = own.map((row) => [
    joined(batchId === undefined ? linkTo("onboarding", row.batch_id) : null, ` line ${row.line}`),
    code(row.external_id ?? row.fp_id ?? row.fp_bid ?? "–"),
    statusChip(row.status),
    instant(row.started_at),
    instant(row.since),
    [row.error_class, row.next_action ?? MEANINGS[row.state]].filter((words) => words !== null).join(" → "),
  ]);
  return joined(table(label, columns, cells, none), moreOf({ total, rows: own }, allOf(shown, batchId)));
}

function allOf(states: readonly QueueState[], batchId: string | undefined): string {
  const its = batchId === undefined ? "" : ` and batch_id = '${batchId}'`;
  const sql = `select * from onboarding_queue where state in ('${states.join("', '")}')${its} order by since`;
  return `nightledger query ${shellWord(sql)}`;
}
