import { InvalidArgumentError } from "commander";
import { kindWords } from "../../../domain/bulk/bulk-job.js";
import { DAY } from "../../../domain/duration.js";
import { NotThereError } from "../../../domain/failures.js";
import { RUN_STATUSES, type Run, type RunFilter } from "../../../domain/run.js";
import { countedRuns, type RunDay, schedulesOfRuns } from "../../../intake/runs/ended-runs.js";
import { runs as runsTable } from "../../../lake/tables/runs.js";
import { columnChart } from "../../../pages/charts.js";
import { joined, link, type Markup, paragraph, section } from "../../../pages/parts.js";
import { pastInstant } from "../../commands/option-values.js";
import { findRuns, KIND_NAMES } from "../../runs/list.js";
import { doneWords, openRunWords, tookWords } from "../../runs/text.js";
import { withoutProgress } from "../../runs/unfinished-runs.js";
import { filterForm } from "../filters.js";
import { type Asked, page } from "../page.js";
import { listing, warning } from "../shown.js";

const MOST = 50;
const DAYS = 14;

export const runs = page("/runs", {
  title: "Runs",
  tables: [runsTable],
  async read(view, asked) {
    const filter = filterOf(asked);
    const found = await findRuns(view, filter, MOST + 1);
    const today = Math.floor(Date.now() / DAY) * DAY;
    const days = Array.from({ length: DAYS }, (_, at) => isoDay(today - (DAYS - 1 - at) * DAY));
    const counted = await countedRuns(view.query, filter, `${days[0]}T00:00:00.000Z`);
    const ended = found.ended.slice(0, MOST);
    const isLeft = found.open.some(({ status }) => status === "interrupted");
    return {
      filter,
      // Every run of two weeks, with days without one.
      schedules: await schedulesOfRuns(view.query),
      unfinished: found.open.map((run) => ({ ...withoutProgress(run), words: openRunWords(run) })),
      ended,
      total: counted.total,
      older_after: found.ended.length > MOST ? (ended.at(-1)?.run_id ?? null) : null,
      days: days.map((day) => counted.days.find((one) => one.day === day) ?? { day, ...NOTHING }),
      offline: isLeft ? (view.missing ?? null) : null,
    };
  },
  draw: (model, asked) => {
    const { ended, total } = model;
    const all = ended.length < total ? "; all of them: nightledger runs list --limit 0" : "";
    const rows: (Run & { readonly words: string })[] = [
      ...model.unfinished,
      ...ended.map((run) => ({ ...run, words: doneWords(run) })),
    ];
    return joined(
      filterForm(asked, "/runs", [
        { name: "kind", label: "Kind", choices: KIND_NAMES.map((kind) => [kind, kindWords(kind)]) },
        { name: "status", label: "Status", choices: RUN_STATUSES.map((one) => [one, kindWords(one)]) },
        { name: "schedule", label: "Schedule", choices: model.schedules.map((name) => [name, name]) },
        { name: "since", label: "Since", choices: SINCE },
        { name: "day", label: "Or since a day" },
      ]),
      warning(model.offline),
      listing("Runs, those that have not ended first", "No run matches.", rows, {
        ...{
          Run: "run_id",
          Kind: "kind",
          Schedule: "schedule",
          Status: "status",
          "Asked for": "started_at",
        },
        ...{ Took: tookWords, "What it did": "words" },
      }),
      paragraph(`${ended.length} of ${total} that have ended${all}`, "aside"),
      pager(model.older_after, asked),
      section("The last 14 days", dayCharts(model.days)),
    );
  },
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

/** @throws NotThereError for no time */
function filterOf({ filter }: Asked): RunFilter {
  const since = filter("day") ?? filter("since");
  const [kind, status, schedule, after] = ["kind", "status", "schedule", "after"].map(filter);
  try {
    return { kind, status, schedule, after, since: since && pastInstant(since) };
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new NotThereError(`since ${since}: ${error.message}`);
  }
}

function pager(older: string | null, { filter }: Asked): Markup {
  const kept = ["kind", "status", "schedule", "since", "day"].flatMap((name): [string, string][] => {
    const value = filter(name);
    return value === undefined ? [] : [[name, value]];
  });
  const to = (text: string, ...after: [string, string][]) =>
    paragraph(link(`/runs?${new URLSearchParams([...kept, ...after])}`, text), "pager");
  return joined(
    filter("after") === undefined ? null : to("The newest runs"),
    older === null ? null : to("Older runs", ["after", older]),
  );
}

/** Runs and changed rows by day. */
function dayCharts(days: readonly RunDay[]): Markup {
  const compact = new Intl.NumberFormat("en", { notation: "compact" });
  const period = `${days[0]?.day} to ${days.at(-1)?.day} (UTC)`;
  const ended = columnChart({
    ...{ id: "runs-a-day", title: `Runs, ${period}` },
    series: [
      { tone: "a", label: "completed" },
      { tone: "consider", label: "failed, or with failures" },
      { tone: "c", label: "cancelled" },
    ],
    bars: days.map(({ day, completed, failed, cancelled }) => {
      return { label: day.slice(8), values: [completed, failed, cancelled] };
    }),
  });
  const changed = columnChart({
    ...{ id: "rows-a-day", title: `Rows created, updated or removed, ${period}`, series: [{ tone: "a" }] },
    bars: days.map(({ day, rows }) => ({ label: day.slice(8), values: [rows], text: compact.format(rows) })),
  });
  return { html: `<div class="charts">${ended}${changed}</div>\n` };
}
