import { InvalidArgumentError } from "commander";
import { kindWords } from "../../../domain/bulk/bulk-job.js";
import { DAY } from "../../../domain/duration.js";
import { InputError } from "../../../domain/failures.js";
import { runs as runsTable } from "../../../lake/tables/runs.js";
import { joined, link, type Markup, paragraph, section, table } from "../../../pages/parts.js";
import { pastInstant } from "../../commands/option-values.js";
import { countedRuns, type EndedRun, type RunDay, schedulesOfRuns } from "../../runs/ended-runs.js";
import { findRuns, KIND_NAMES } from "../../runs/list.js";
import { doneWords, openRunWords, tookWords } from "../../runs/text.js";
import { listedRun } from "../../runs/unfinished-runs.js";
import { type RunFilter, SEEN_STATUSES, type SeenRun } from "../../shell/seen-run.js";
import { filterForm } from "../filters.js";
import { type Asked, page } from "../page.js";
import { dayCharts } from "../runs/day-charts.js";
import { instant, linkTo, statusChip, warning } from "../shown.js";

const MOST = 50;
const DAYS = 14;

interface Runs {
  readonly filter: RunFilter;
  /** Schedules that runs were of. */
  readonly schedules: readonly string[];
  /** Those that have not ended and are asked for, with how far they are. */
  readonly unfinished: readonly (SeenRun & { readonly words: string })[];
  readonly ended: readonly EndedRun[];
  /** How many that have ended match, on every page. */
  readonly total: number;
  /** Id of the last run here, after which older ones come; null where there are none. */
  readonly older_after: string | null;
  /** The last two weeks, days without a run too. */
  readonly days: readonly RunDay[];
  readonly offline: string | null;
}

export const runs = page<Runs>("/runs", {
  name: "Runs",
  tables: [runsTable],
  async read(view, asked) {
    const filter = filterOf(asked);
    const found = await findRuns(view, view.query, filter, MOST + 1);
    const today = Math.floor(Date.now() / DAY) * DAY;
    const days = Array.from({ length: DAYS }, (_, at) => isoDay(today - (DAYS - 1 - at) * DAY));
    const counted = await countedRuns(view.query, filter, `${days[0]}T00:00:00.000Z`);
    const ended = found.ended.slice(0, MOST);
    const isLeft = found.open.some(({ status }) => status === "interrupted");
    return {
      filter,
      schedules: await schedulesOfRuns(view.query),
      unfinished: found.open.map((run) => ({ ...listedRun(run), words: openRunWords(view.terminal, run) })),
      ended,
      total: counted.total,
      older_after: found.ended.length > MOST ? (ended.at(-1)?.run_id ?? null) : null,
      days: days.map((day) => counted.days.find((one) => one.day === day) ?? { day, ...NOTHING }),
      offline: isLeft ? (view.missing ?? null) : null,
    };
  },
  title: () => "Runs",
  draw: (model, asked) =>
    joined(
      filterForm(asked, "/runs", [
        { name: "kind", label: "Kind", choices: KIND_NAMES.map((kind) => [kind, kindWords(kind)]) },
        { name: "status", label: "Status", choices: SEEN_STATUSES.map((one) => [one, kindWords(one)]) },
        { name: "schedule", label: "Schedule", choices: model.schedules.map((name) => [name, name]) },
        { name: "since", label: "Since", choices: SINCE },
        { name: "day", label: "Or since a day" },
      ]),
      warning(model.offline),
      listed(model),
      pager(model, asked),
      section("The last 14 days", dayCharts(model.days)),
    ),
});

const NOTHING = { completed: 0, failed: 0, cancelled: 0, rows: 0 };
const SINCE = [
  ["1d", "a day ago"],
  ["7d", "7 days ago"],
  ["30d", "30 days ago"],
] as const;

function isoDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** @throws InputError where no time is meant */
function filterOf({ filter }: Asked): RunFilter {
  const since = filter("day") ?? filter("since");
  const [kind, status, schedule, after] = ["kind", "status", "schedule", "after"].map(filter);
  try {
    return { kind, status, schedule, after, since: since && pastInstant(since) };
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new InputError(`since ${since}: ${error.message}`);
  }
}

function listed({ unfinished, ended }: Runs): Markup {
  const columns = ["Run", "Kind", "Schedule", "Status", "Asked for", "Took", "What it did"];
  const rows = [
    ...unfinished.map((run) => rowOf(run, run.words)),
    ...ended.map((run) => rowOf(run, doneWords(run))),
  ];
  return table(
    "Runs, those that have not ended first",
    columns.map((name) => ({ name })),
    rows,
    "No run matches.",
  );
}

function rowOf(run: SeenRun, did: string) {
  const { run_id, kind, schedule, status, started_at } = run;
  return [
    linkTo("runs", run_id),
    kindWords(kind),
    schedule === null ? null : link("/schedules", schedule),
    statusChip(status),
    instant(started_at),
    tookWords(run),
    did,
  ];
}

/** Says how many there are, and leads to the others. */
function pager({ ended, total, older_after, filter }: Runs, { filter: given, form }: Asked): Markup {
  const names = ["kind", "status", "schedule", "since", "day"];
  const kept = names
    .flatMap((name): [string, string][] => [[name, given(name) ?? ""]])
    .filter(([, value]) => value !== "");
  const to = (after: readonly [string, string][]) => `/runs?${new URLSearchParams([...kept, ...after])}`;
  const all = ended.length < total ? "; all of them: nightledger runs list --limit 0" : "";
  return joined(
    paragraph(`${ended.length} of ${total} that have ended${all}`, "aside"),
    form === undefined || filter.after === undefined ? null : paragraph(link(to([]), "The newest runs")),
    form === undefined || older_after === null
      ? null
      : paragraph(link(to([["after", older_after]]), "Older runs")),
  );
}
