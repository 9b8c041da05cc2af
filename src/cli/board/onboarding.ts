import { DAY, durationWords, SECOND } from "../../domain/duration.js";
import { counted } from "../../domain/words/counted.js";
import { shellWord } from "../../domain/words/texts.js";
import type { LakeQuery } from "../../lake/query/query.js";
import { columnChart } from "../../pages/charts.js";
import { code, figure, joined, type Markup, paragraph, section } from "../../pages/parts.js";
import { listOf, listsOf, type SqlRow } from "../lake/query.js";
import { instant, linkTo, listing, moreOf, saying, shownOf, type Total, tableSection } from "./shown.js";

const MOST_DAYS = 12;
/** Batches, days, and rows of each state. */
const MOST_ROWS = 50;

const MEANINGS = {
  review: "a reviewer decides it in the service's dashboard",
  customer: "the customer continues, or answers the reviewer",
  decision: "the service has not decided within an hour, and is still waited for",
  failed: "fix what its batch says, then retry the batch",
  expired: "the customer did not continue in time: ask them, then retry the batch",
  check: "look at it in the service's dashboard",
  cancelled: "give the same command again to run it",
};
type QueueState = keyof typeof MEANINGS;

/** Upper ends of ages, in days. */
const AGES = [1, 3, 7] as const;

/** At a day's end (UTC): `open` waits for service or customer, `review` for a reviewer. */
type BurndownDay = SqlRow<"day", "open" | "review">;

/** By age: under a day, one to three, three to seven, longer. */
type StateCount = Total & { readonly state: QueueState; readonly ages: readonly number[] };

type BatchCount = "started" | "pass" | "fail" | "review" | "other" | "open";
type Unsure = "fp_id" | "fp_bid" | "external_id" | "since" | "started_at" | "error_class" | "next_action";

/** `expires_at` is null where nobody waits. */
type QueueRow = SqlRow<"batch_id" | "status", "line", Unsure | "expires_at"> & { readonly state: QueueState };

/** Rows of a state that time out: the first, and how many within one and three days. */
type TimeOut = SqlRow<"first_at", "total" | "in_1d" | "in_3d"> & {
  readonly state: QueueState;
  /** Requests a row on average; null before a run has ended. */
  readonly calls_a_row: number | null;
};

type Standing = Awaited<ReturnType<typeof readStanding>>;

/** How rows stand, by one statement. @param batchId checked */
export async function readStanding(query: LakeQuery, batchId?: string) {
  const its = batchId === undefined ? "" : `where batch_id = '${batchId}'`;
  const seconds = (days: number) => (days * DAY) / SECOND;
  const ages = [0, ...AGES].map((from, at) => {
    const isYounger = AGES[at] === undefined ? "" : ` and coalesce(age_s, 0) < ${seconds(AGES[at])}`;
    return `count(*) filter (coalesce(age_s, 0) >= ${seconds(from)}${isYounger})`;
  });
  const first = "if(state = 'customer', started_at, since) nulls first, batch_id, line";
  const { days, times, batches, states, timeouts, rows } = await listsOf(
    query,
    {
      // The newest days with an outcome.
      days: listOf<BurndownDay>(`from (
          select day, (sum(sum(opened)) over so_far)::bigint as open, (sum(sum(reviewed)) over so_far)::bigint as review
          from moves group by day window so_far as (order by day) order by day desc limit ${MOST_DAYS}
        ) order by day`),
      // Time to a decision, by its day.
      times: listOf<
        SqlRow<"batch_id" | "day", "decided" | "median_s" | "p90_s"> & Total
      >(`select batch_id, day, decided, median_s, p90_s, count(*) over () as total from stood where decided > 0
        order by day desc, batch_id limit ${MOST_ROWS}`),
      batches: listOf<
        SqlRow<"batch_id", BatchCount, "playbook_key" | "began_at"> & Total
      >(`select batch_id, playbook_key, began_at, started_total as started, pass_total as pass,
          fail_total as fail, review_total as review, other_total as other, open, count(*) over () as total
        from (from stood qualify row_number() over (partition by batch_id order by day desc) = 1) join begun using (batch_id)
        order by began_at desc nulls last, batch_id limit ${MOST_ROWS}`),
      states: listOf<StateCount>(
        `select state, [${ages.join(", ")}] as ages, count(*) as total from waiting group by state`,
      ),
      timeouts: listOf<TimeOut>(`select state, count(*) as total, min(expires_at) as first_at,
          count(*) filter (expires_at < now() + interval 1 day) as in_1d,
          count(*) filter (expires_at < now() + interval 3 days) as in_3d,
          round(sum(calls_a_row) / count(calls_a_row), 1) as calls_a_row
        from waiting where expires_at is not null and state in ('customer', 'decision') group by state order by state`),
      // Of each state those that have waited longest.
      rows: listOf<QueueRow>(`select * exclude (age_s, calls_a_row) from waiting
        qualify row_number() over (partition by state order by ${first}) <= ${MOST_ROWS} order by state, ${first}`),
    },
    `with stood as materialized (from batch_burndown ${its}
      ), moves as (
        select day, open - lag(open, 1, 0) over same as opened, review_total - lag(review_total, 1, 0) over same as reviewed
        from stood window same as (partition by batch_id order by day)
      ), begun as (
        select batch_id, any_value(playbook_key) as playbook_key, min(coalesce(started_at, settled_at)) as began_at
        from onboardings ${its} group by batch_id
      ), asked as (
        select job_id as batch_id, sum(calls) / nullif(sum(users), 0) as calls_a_row from runs where kind = 'onboard' group by job_id
      ), waiting as materialized (
        select batch_id, line, fp_id, fp_bid, external_id, status, state, since, age_s, started_at, error_class, next_action,
          calls_a_row, expires_at
        from onboarding_queue left join asked using (batch_id) ${its}
      )`,
  );
  const ordered = Object.keys(MEANINGS).flatMap((state) => states.filter((one) => one.state === state));
  return {
    burndown: { days, times: shownOf(times), batches: shownOf(batches) },
    queue: { states: ordered, timeouts, rows },
  };
}

export function waitingIn({ queue }: Standing, ...states: readonly QueueState[]): number {
  return queue.states
    .filter(({ state }) => states.includes(state))
    .reduce((sum, { total }) => sum + total, 0);
}

export function batchSection({ burndown: { batches } }: Standing): Markup {
  const none =
    "No batch has an outcome yet. `nightledger onboard` runs a playbook on every customer of a file.";
  return section(
    "Batches",
    listing("Batches, the newest first", none, batches.rows, {
      ...{ Batch: "batch_id", Playbook: "playbook_key", Began: "began_at", Rows: "started" },
      ...{ Pass: "pass", Fail: "fail", Review: "review", Other: "other", Open: "open" },
    }),
    moreOf(batches, 'nightledger query "select * from batch_burndown order by day"'),
  );
}

/** Outcomes, and who is waited for how long. */
export function standingSections(standing: Standing, batchId?: string): Markup {
  const { burndown, queue } = standing;
  const age = (at: number) => (one: StateCount) => one.ages[at] ?? 0;
  const duration = (seconds: number) => figure(durationWords(seconds * SECOND));
  return joined(
    section("Burn-down", burndownChart(burndown.days)),
    tableSection(
      "Rows by state and age",
      "Rows that wait, by state and age",
      "No row waits for anybody.",
      queue.states,
      {
        ...{
          State: "state",
          "Under a day": age(0),
          "1 to 3 days": age(1),
          "3 to 7 days": age(2),
          Longer: age(3),
        },
        ...{ All: "total", "What it waits for": ({ state }: StateCount) => MEANINGS[state] },
      },
    ),
    ...QUEUES.map((one) => queueSection(standing, one, batchId)),
    tableSection(
      "Time to decision",
      "Time from a row's beginning to its decision",
      "Nothing was decided yet.",
      burndown.times.rows,
      {
        ...{ "Day (UTC)": "day", Batch: "batch_id", Decisions: "decided" },
        Median: ({ median_s }) => duration(median_s),
        "90 % within": ({ p90_s }) => duration(p90_s),
      },
    ),
  );
}

function endsByItself(state: QueueState): boolean {
  return state === "customer" || state === "decision";
}

/** What expires, and what beginning again costs. */
export function timeOutSection({ queue: { timeouts } }: Standing): Markup {
  const said = timeouts.map(({ state, total, first_at, in_1d, in_3d, calls_a_row }) => {
    const what =
      state === "customer"
        ? "unless their customer continues, become expired_no_response"
        : "keep their status unless the service decides, and are asked for no more";
    const again =
      state === "customer" && calls_a_row !== null
        ? ` To begin all of them again, runs retry would make about ${Math.ceil(total * calls_a_row)} requests, by what a row of this batch has cost so far.`
        : "";
    return paragraph(
      joined(
        `${counted(total, "row")}, ${what}: ${in_1d} within a day, ${in_3d} within three days, the first at `,
        joined(instant(first_at), `.${again}`),
      ),
    );
  });
  return section(
    "What a time-out will cost",
    said.length === 0 ? paragraph("No row ends by itself.", "none") : joined(...said),
  );
}

function burndownChart(days: readonly BurndownDay[]): Markup {
  const html = columnChart({
    id: "burn-down",
    title: "Rows without a decision at the end of each day (UTC) on which something changed",
    series: [
      { tone: "a", label: "wait for the service or the customer" },
      { tone: "c", label: "wait for a reviewer" },
    ],
    bars: days.map(({ day, open, review }) => ({ label: day.slice(5), values: [open, review] })),
  });
  return { html };
}

interface ShownQueue {
  readonly title: string;
  readonly states: readonly QueueState[];
  readonly label: string;
  readonly none: string;
  readonly aside?: string;
}

const QUEUES: readonly ShownQueue[] = [
  {
    ...{ title: "For a reviewer", states: ["review"], label: "Rows for a reviewer, the oldest first" },
    none: "No row waits for a reviewer.",
  },
  {
    ...{ title: "For the customer", states: ["customer"], label: "Rows for the customer, the oldest first" },
    none: "No row waits for its customer.",
    aside:
      "The rows that began first are on top: each becomes expired_no_response when its batch's --deadline is over; later where the command was given again since the status is known. A link that ends before is replaced by a fresh one.",
  },
  {
    ...{ title: "Undecided after an hour", states: ["decision"], label: "Rows without a decision" },
    none: "No row waits so long for the service.",
  },
  {
    ...{ title: "Failed, expired or to be checked", states: ["failed", "expired", "check"] },
    ...{ label: "Rows that failed", none: "No row has failed." },
  },
  {
    ...{ title: "Cancelled", states: ["cancelled"], label: "Rows that were cancelled" },
    none: "No row was cancelled.",
  },
];

/** Rows of some states, the count of the rest, and the command for all. */
function queueSection(
  standing: Standing,
  { title, states, label, none, aside = "" }: ShownQueue,
  batchId: string | undefined,
): Markup {
  const rows = standing.queue.rows.filter(({ state }) => states.includes(state));
  const its = batchId === undefined ? "" : ` and batch_id = '${batchId}'`;
  const all = `select * from onboarding_queue where state in ('${states.join("', '")}')${its} order by since`;
  return section(
    title,
    aside === "" ? null : paragraph(aside, "aside"),
    listing(label, none, rows, {
      Row: ({ batch_id, line }) =>
        joined(batchId === undefined ? linkTo("onboarding", batch_id) : null, ` line ${line}`),
      Customer: ({ external_id, fp_id, fp_bid }) => code(external_id ?? fp_id ?? fp_bid ?? "–"),
      Status: "status",
      Began: "started_at",
      ...(states.some(endsByItself) && { Expires: "expires_at" as const }),
      "Waits since": ({ since }) => instant(since),
      "What to do": ({ error_class, next_action, state }) =>
        saying([error_class, next_action ?? MEANINGS[state]]),
    }),
    moreOf({ total: waitingIn(standing, ...states), rows }, `nightledger query ${shellWord(all)}`),
  );
}
