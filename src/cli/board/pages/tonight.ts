import { kindWords } from "../../../domain/bulk/bulk-job.js";
import { DAY, durationWords } from "../../../domain/duration.js";
import { whyCutShort } from "../../../domain/run.js";
import { onboardingEvents, onboardings } from "../../../lake/tables/onboardings.js";
import {
  chip,
  code,
  headline,
  joined,
  link,
  type Markup,
  paragraph,
  section,
  table,
} from "../../../pages/parts.js";
import { rowsOf } from "../../lake/query.js";
import { type LakeStatus, type LatestRun, lakeStatus } from "../../runs/lake-status.js";
import { countWords, openRunWords, waitingWords } from "../../runs/text.js";
import { page } from "../page.js";
import { linkTo, statusChip, warning } from "../shown.js";
import { verdictOf } from "../verdict.js";

const STALE_MS = 3 * DAY;

interface Tonight extends Omit<LakeStatus, "unfinished"> {
  /** Customers who wait for somebody's review. */
  readonly reviews: number;
  readonly verdict: ReturnType<typeof verdictOf>;
  readonly unfinished: readonly {
    readonly run_id: string;
    readonly status: string;
    readonly words: string;
    readonly waiting: readonly string[];
  }[];
}

export const tonight = page<Tonight>("/", {
  name: "Tonight",
  tables: [onboardings, onboardingEvents],
  async read(view) {
    const status = await lakeStatus(view, STALE_MS);
    const [waiting] = await rowsOf<{ readonly reviews: number }>(
      view.query,
      "select count(*) as reviews from onboarding_queue where state = 'review'",
    );
    const reviews = Number(waiting?.reviews ?? 0);
    const unfinished = status.unfinished.map((run) => ({
      run_id: run.run_id,
      status: run.status,
      words: openRunWords(view.terminal, run),
      waiting: waitingWords(run),
    }));
    return { ...status, unfinished, reviews, verdict: verdictOf(status, reviews, Date.now()) };
  },
  title: () => "Tonight",
  draw: (model) =>
    joined(
      paragraph(joined(chip(model.verdict.word, model.verdict.tone), ` ${model.verdict.sentence}`), "lead"),
      headline(model.verdict.numbers),
      warning(model.offline),
      section("In progress", inProgress(model)),
      section("Open alerts", alerts(model)),
      section("Last of each job", latest(model)),
      section("Next", firings(model)),
    ),
});

function inProgress({ unfinished }: Tonight): Markup {
  const columns = [{ name: "Run" }, { name: "Status" }, { name: "How far" }];
  const rows = unfinished.map(({ run_id, status, words, waiting }) => [
    linkTo("runs", run_id),
    statusChip(status),
    [words, ...waiting].join("; "),
  ]);
  return table("Runs in progress", columns, rows, "No run is in progress.");
}

function alerts({ alerts }: Tonight): Markup {
  const columns = [{ name: "Rule" }, { name: "What is wrong" }, { name: "What to do" }];
  const rows = alerts.map(({ rule, message, action }) => [code(rule), message, action]);
  return table("Open alerts", columns, rows, "No alert is open.");
}

function latest({ latest }: Tonight): Markup {
  const columns = [
    { name: "Job" },
    { name: "Status" },
    { name: "Ended" },
    { name: "Took" },
    { name: "What it did" },
  ];
  return table("The last run of each job", columns, latest.map(latestRow), "Nothing has run yet.");
}

function latestRow(run: LatestRun) {
  const { run_id, kind, schedule, status, started_at, finished_at, counts, findings } = run;
  const name = `${kindWords(kind)}${schedule === null ? "" : ` ${schedule}`}`;
  const failed = findings.filter((finding) => finding.status === "failed");
  const [, why] = whyCutShort(run);
  const words = [
    countWords(counts, ["links", "created", "updated", "removed", "failed", "quarantined"]),
    ...(typeof why === "string" ? [why] : []),
    ...failed.map(
      ({ reason, count, action }) => `${count} × ${reason}${action === null ? "" : ` → ${action}`}`,
    ),
  ];
  const ended = finished_at ?? started_at;
  return [
    linkTo("runs", run_id, name),
    statusChip(status),
    `${durationWords(Date.now() - Date.parse(ended))} ago`,
    durationWords(Date.parse(ended) - Date.parse(started_at)),
    words.filter(Boolean).join("; "),
  ];
}

function firings({ schedules }: Tonight): Markup {
  const columns = [{ name: "Schedule" }, { name: "Next firing" }];
  const rows = schedules.map(({ name, paused, next }) => [
    link("/schedules", name),
    paused ? chip("paused", "note") : (next ?? "never"),
  ]);
  return table("Next firings", columns, rows, "No schedule fires.");
}
