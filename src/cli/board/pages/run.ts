import { linkSyncs } from "../../../lake/tables/link-syncs.js";
import { runFailures, runs } from "../../../lake/tables/runs.js";
import { facts, joined, paragraph, section } from "../../../pages/parts.js";
import { linksAmong } from "../../runs/findings.js";
import { RUN_KINDS } from "../../runs/kinds.js";
import { readRun } from "../../runs/show.js";
import { nextWords, openRunWords, runFigures, waitingWords } from "../../runs/text.js";
import { page } from "../page.js";
import { actionsOf, type RunModel } from "../runs/run-model.js";
import {
  about,
  askedFor,
  buttons,
  cost,
  counts,
  findings,
  progress,
  times,
  verdict,
} from "../runs/run-sections.js";
import { warning } from "../shown.js";

export const run = page<RunModel>("/runs/:run", {
  tables: [...new Set([runs, linkSyncs, runFailures, ...RUN_KINDS.flatMap(({ tables = [] }) => tables)])],
  async read(view, asked) {
    const { query, terminal, missing } = view;
    const [shown, open] = await readRun(view, query, asked.part("run"));
    const examples = shown.findings.flatMap((finding) => finding.examples);
    const next = nextWords(shown, shown.findings);
    return {
      ...shown,
      open: open ? openRunWords(terminal, open) : null,
      figures: open ? runFigures(terminal, open) : null,
      waiting: open ? waitingWords(open) : [],
      next,
      links: await linksAmong(query, shown.run_id, examples),
      actions: actionsOf(shown, open, next),
      offline: shown.status === "interrupted" ? (missing ?? null) : null,
    };
  },
  title: ({ run_id }) => `Run ${run_id}`,
  draw: (model, asked) =>
    joined(
      verdict(model),
      warning(model.offline),
      facts(about(model)),
      buttons(model, asked),
      model.open === null ? null : section("How far it is", progress(model)),
      section("Time", times(model)),
      model.finished_at === null ? null : section("What it did", counts(model)),
      section("What failed, was skipped or waits", findings(model)),
      model.finished_at === null
        ? paragraph("Its row will say what it did, what it cost and what it was asked for.", "aside")
        : joined(section("What it cost", cost(model)), section("What it was asked for", askedFor(model))),
    ),
});
