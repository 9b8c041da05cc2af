import { kindWords } from "../../../domain/bulk/bulk-job.js";
import type { Run } from "../../../domain/run.js";
import type { RunDetails } from "../../../intake/runs/ended-runs.js";
import { linksAmong } from "../../../intake/runs/findings.js";
import { KIND_TABLES } from "../../../intake/runs/kind-tables.js";
import { linkSyncs } from "../../../lake/tables/link-syncs.js";
import { runFailures, runs } from "../../../lake/tables/runs.js";
import {
  type Content,
  code,
  facts,
  joined,
  link,
  type Markup,
  paragraph,
  section,
} from "../../../pages/parts.js";
import { kindNamed } from "../../runs/kinds.js";
import { readRun } from "../../runs/show.js";
import {
  averageWords,
  costWords,
  nextWords,
  openRunWords,
  runFigures,
  tookWords,
  waitingWords,
} from "../../runs/text.js";
import { type Asked, type BoardView, page } from "../page.js";
import { runTimes } from "../run-times.js";
import { findingsTable, linkTo, progressBar, statusChip, toCopy, warning } from "../shown.js";

/** What `runs show --json` prints, and its words. */
export type RunModel = Awaited<ReturnType<typeof readModel>>;

async function readModel(view: BoardView, { part }: Asked) {
  const { query, missing } = view;
  const [shown, open] = await readRun(view, part("run"));
  const examples = shown.findings.flatMap((finding) => finding.examples);
  const next = nextWords(shown, shown.findings);
  return {
    ...shown,
    // Null where it has ended.
    open: open ? openRunWords(open) : null,
    figures: open ? runFigures(open) : null,
    waiting: open ? waitingWords(open) : [],
    next,
    // Examples that are bank links.
    links: await linksAmong(query, shown.run_id, examples),
    commands: commandsOf(shown, open, next),
    offline: shown.status === "interrupted" ? (missing ?? null) : null,
  };
}

export const run = page("/runs/:run", {
  tables: [runs, linkSyncs, runFailures, ...KIND_TABLES],
  read: readModel,
  title: ({ run_id }) => `Run ${run_id}`,
  draw: (model) => {
    const { run_id, kind, job_id, schedule, lake_root, open, finished_at, findings, commands, offline } =
      model;
    const known = new Set(model.links);
    return joined(
      verdict(model),
      warning(offline),
      facts({
        Kind: kindWords(kind),
        Batch: kind === "onboard" && job_id !== null ? linkTo("onboarding", job_id) : null,
        Schedule: schedule && link("/schedules", schedule),
        Root: lake_root && code(lake_root),
        "Asked for by": model.command && code(model.command),
        Command: code(`nightledger runs ${finished_at === null ? "watch" : "show"} ${run_id}`),
      }),
      toCopy(commands),
      open === null ? null : section("How far it is", progress(model)),
      section("Time", runTimes(model)),
      finished_at === null ? null : section("What it did", counts(model)),
      section(
        "What failed, was skipped or waits",
        findingsTable(
          "What failed, was skipped or waits, the most frequent first",
          "Nothing.",
          findings,
          (id) => (known.has(id) ? linkTo("links", id) : id),
        ),
        (model.counts.quarantined ?? 0) === 0
          ? null
          : paragraph(
              joined(
                "Bad rows that are open, and what they say, masked: ",
                link("/quarantine", "Quarantine"),
              ),
              "aside",
            ),
      ),
      finished_at === null
        ? paragraph("Its row will say what it did, what it cost and what it was asked for.", "aside")
        : joined(
            section("What it cost", paragraph(costWords(model) ?? "Nothing: it sent no call.")),
            section("What it was asked for", askedFor(model)),
          ),
    );
  },
});

/** Commands for the run now; the words of a lost one name its own. */
function commandsOf(
  { run_id, kind, job_id, status, reason, schedule }: RunDetails,
  open: Run | undefined,
  next: readonly string[],
): readonly string[] {
  if (open === undefined) {
    if (reason === "not_begun") return schedule === null ? [] : [`nightledger schedule trigger ${schedule}`];
    return next.length === 0 || reason === "staging_lost" ? [] : [`nightledger runs retry ${run_id}`];
  }
  if (status === "lost" || open.home !== undefined || run_id === job_id) return [];
  const proceed = `nightledger runs continue ${run_id}`;
  if (status === "interrupted") return [proceed];
  const isPausedBatch = kind === "onboard" && status === "paused" && job_id !== null;
  return [isPausedBatch ? `nightledger runs resume ${job_id}` : proceed, `nightledger runs cancel ${run_id}`];
}

function verdict(model: RunModel): Markup {
  const { status, reason, message, next } = model;
  const took = tookWords(model);
  const why = reason === null ? "" : ` ${reason}: ${message}`;
  return joined(
    paragraph(joined(statusChip(status), took === "" ? "" : ` in ${took}.`, why), "lead"),
    ...next.map((words) => paragraph(`→ ${words}`)),
  );
}

function progress({ open, figures, waiting }: RunModel): Markup {
  return joined(
    figures === null ? null : progressBar(figures.done, figures.total),
    ...[open, averageWords(figures), ...waiting]
      .filter((words) => words !== "")
      .map((words) => paragraph(words)),
  );
}

const COST = ["calls", "answer_bytes", "pages", "restarts", "paused_ms"];

function counts({ kind, counts: counted }: RunModel): Markup {
  const nameOf = (name: string) => (name === "users" ? (kindNamed(kind)?.rows ?? name) : name);
  const told = Object.entries(counted).filter(([name]) => !COST.includes(name));
  return factsOr("It counted nothing.", told, ([name, count]) => [nameOf(name).replaceAll("_", " "), count]);
}

const MOST_NAMED = 10;

function askedFor({ options }: RunModel): Markup {
  const asked = Object.entries(options ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return factsOr("Nothing but its file.", asked, ([name, value]) => [name, optionWords(value)]);
}

function optionWords(value: unknown): string {
  if (!Array.isArray(value)) return typeof value === "string" ? value : JSON.stringify(value);
  const more = value.length > MOST_NAMED ? ` and ${value.length - MOST_NAMED} more` : "";
  return `${value.slice(0, MOST_NAMED).join(", ")}${more}`;
}

function factsOr<One>(
  none: string,
  told: readonly One[],
  factOf: (one: One) => readonly [string, Content],
): Markup {
  return told.length === 0 ? paragraph(none, "none") : facts(Object.fromEntries(told.map(factOf)));
}
