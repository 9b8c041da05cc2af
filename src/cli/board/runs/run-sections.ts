import { kindWords } from "../../../domain/bulk/bulk-job.js";
import { durationWords } from "../../../domain/duration.js";
import { barChart } from "../../../pages/charts.js";
import {
  type Content,
  code,
  facts,
  joined,
  link,
  type Markup,
  paragraph,
  table,
} from "../../../pages/parts.js";
import { kindNamed } from "../../runs/kinds.js";
import { tookWords } from "../../runs/text.js";
import { actionForm } from "../actions.js";
import type { Asked } from "../page.js";
import { instant, linkTo, progressBar, statusChip } from "../shown.js";
import type { RunModel } from "./run-model.js";

export function verdict(model: RunModel): Markup {
  const { status, reason, message, next } = model;
  const took = tookWords(model);
  const why = reason === null ? "" : ` ${reason}: ${message}`;
  return joined(
    paragraph(joined(statusChip(status), took === "" ? "" : ` in ${took}.`, why), "lead"),
    ...next.map((words) => paragraph(`→ ${words}`)),
  );
}

export function about({
  run_id,
  kind,
  job_id,
  schedule,
  lake_root,
  finished_at,
}: RunModel): [string, Content][] {
  const isBatch = kind === "onboard" && job_id !== null;
  return [
    ["Kind", kindWords(kind)],
    ["Batch", isBatch ? linkTo("onboarding", job_id) : null],
    ["Schedule", schedule === null ? null : link("/schedules", schedule)],
    ["Root", lake_root === null ? null : code(lake_root)],
    ["Command", code(`nightledger runs ${finished_at === null ? "watch" : "show"} ${run_id}`)],
  ];
}

export function buttons({ actions }: RunModel, asked: Asked): Markup {
  return joined(...actions.map(([name, subject]) => actionForm(asked, name, subject)));
}

export function progress({ open, figures, waiting }: RunModel): Markup {
  const pace = [figures?.rate && `${figures.rate} on average`, figures?.left].filter(Boolean).join(", ");
  return joined(
    figures === null ? null : progressBar(figures.done, figures.total),
    paragraph(open),
    pace === "" ? null : paragraph(pace),
    ...waiting.map((words) => paragraph(words)),
  );
}

/** Draws the times that its row knows. */
export function times({ scheduled_at, started_at, finished_at, counts }: RunModel): Markup {
  const [due, asked, ended] = [scheduled_at, started_at || null, finished_at].map(
    (at) => at && Date.parse(at),
  );
  const paused = counts.paused_ms ?? 0;
  const bar = (label: string, ms: number, at: number) => ({
    ...{ label, text: durationWords(ms) },
    values: [0, 1].map((series) => (series === at ? Math.max(0, ms) : 0)),
  });
  const chart = barChart({
    ...{ id: "how-long", title: "How long it took", series: [{ tone: "a" }, { tone: "consider" }] },
    bars: [
      ...(due && asked ? [bar("due, until asked for", asked - due, 0)] : []),
      ...(asked
        ? [bar(ended ? "asked for, until ended" : "asked for, until now", (ended || Date.now()) - asked, 0)]
        : []),
      ...(paused > 0 ? [bar("paused by the service", paused, 1)] : []),
    ],
  });
  const told: [string, Content][] = [
    ["Due", instant(scheduled_at)],
    ["Asked for", instant(started_at)],
    ["Ended", instant(finished_at)],
  ];
  return asked ? joined(facts(told), { html: chart }) : paragraph("Its row will say it.", "none");
}

const COST = ["calls", "pages", "restarts", "paused_ms"];

export function counts({ kind, counts }: RunModel): Markup {
  const told = Object.entries(counts).filter(([name]) => !COST.includes(name));
  if (told.length === 0) return paragraph("It counted nothing.", "none");
  const nameOf = (name: string) => (name === "users" ? (kindNamed(kind)?.rows ?? name) : name);
  return facts(told.map(([name, count]) => [nameOf(name).replaceAll("_", " "), count]));
}

export function cost({ counts }: RunModel): Markup {
  const { calls, pages, restarts, paused_ms } = counts;
  if (calls === undefined) return paragraph("Nothing: it sent no call.", "none");
  const paused = paused_ms ? `${durationWords(paused_ms)} by the service` : "never";
  return facts([
    ["Calls", calls],
    ["Pages", pages ?? null],
    ["Restarts", restarts ?? null],
    ["Paused", paused],
  ]);
}

export function findings({ findings, links }: RunModel): Markup {
  const columns = [{ name: "Status" }, { name: "How many", isCount: true }];
  const words = ["Why", "What to do", "Such as"].map((name) => ({ name }));
  const known = new Set(links);
  const exampleOf = (id: string) => (known.has(id) ? linkTo("links", id) : id);
  const rows = findings.map(({ status, count, reason, action, examples }) => [
    ...[statusChip(status), count, reason, action],
    joined(
      ...examples.flatMap((id, at) => [at === 0 ? null : ", ", exampleOf(id)]),
      count > examples.length ? ", …" : null,
    ),
  ]);
  return table(
    "What failed, was skipped or waits, the most frequent first",
    [...columns, ...words],
    rows,
    "Nothing.",
  );
}

const MOST_NAMED = 10;

export function askedFor({ options }: RunModel): Markup {
  const asked = Object.entries(options ?? {}).filter(([, value]) => value !== null && value !== undefined);
  if (asked.length === 0) return paragraph("Nothing but its file.", "none");
  return facts(asked.map(([name, value]) => [name, optionWords(value)]));
}

function optionWords(value: unknown): string {
  if (!Array.isArray(value)) return typeof value === "string" ? value : JSON.stringify(value);
  const more = value.length > MOST_NAMED ? ` and ${value.length - MOST_NAMED} more` : "";
  return `${value.slice(0, MOST_NAMED).join(", ")}${more}`;
}
