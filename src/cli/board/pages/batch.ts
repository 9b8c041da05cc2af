import { isRetried } from "../../../domain/onboarding/batch/row-plan.js";
import type { Run } from "../../../domain/run.js";
import { onboardingEvents } from "../../../lake/tables/onboardings.js";
import { code, facts, joined, type Markup, paragraph, section } from "../../../pages/parts.js";
import { BATCH_TABLES, progressWords, readBatch, type ShownBatch } from "../../runs/show.js";
import { openRunWords } from "../../runs/text.js";
import { unfinishedRuns } from "../../runs/unfinished-runs.js";
import { readStanding, standingSections, timeOutSection } from "../onboarding.js";
import { page } from "../page.js";
import { findingsTable, linkTo, progressBar, statusChip, tableSection, toCopy, warning } from "../shown.js";

export const batch = page("/onboarding/:batch", {
  tables: [...BATCH_TABLES, onboardingEvents],
  async read(view, { part }) {
    const { query, missing } = view;
    const id = part("batch");
    const shown = await readBatch(view, id);
    const run = (await unfinishedRuns(view)).find(({ job_id }) => job_id === id);
    return {
      ...shown,
      open: run === undefined ? null : { status: run.status, words: openRunWords(run) },
      ...(await readStanding(query, id)),
      commands: commandsOf(shown, run),
      offline: run?.status === "interrupted" ? (missing ?? null) : null,
    };
  },
  title: ({ batch_id }) => `Batch ${batch_id}`,
  draw: (model) => {
    const { batch_id, playbook_key, progress, runs, statuses } = model;
    const links = runs.flatMap(({ run_id, status }) => [
      linkTo("runs", run_id),
      ` ${status.replaceAll("_", " ")} `,
    ]);
    const outcomes = Object.entries(statuses).map(([status, rows]) => ({ status, rows }));
    return joined(
      state(model.open?.words, model),
      warning(model.offline),
      toCopy(model.commands),
      facts({
        Playbook: playbook_key && code(playbook_key),
        "How far": progress && progressWords(progress),
        "Last runs": links.length === 0 ? null : joined(...links),
        Command: code(`nightledger runs show ${batch_id}`),
      }),
      tableSection(
        "Customers by outcome",
        "Rows by their latest status",
        "No row has an outcome yet.",
        outcomes,
        {
          Status: "status",
          Rows: "rows",
        },
      ),
      section(
        "What did not pass or waits, and what to do",
        findingsTable("Rows that ended alike", "No row failed, and none waits for anybody.", model.findings),
      ),
      timeOutSection(model),
      standingSections(model, batch_id),
    );
  },
});

/** An interrupted batch may be a paused one whose Temporal has ended: resuming begins both again. */
function commandsOf({ batch_id, statuses, progress }: ShownBatch, run: Run | undefined): readonly string[] {
  const command = (verb: string) => `nightledger runs ${verb} ${batch_id}`;
  if (run === undefined) return Object.keys(statuses).some(isRetried) ? [command("retry")] : [];
  if (run.status === "lost" || progress?.cancelling) return [];
  return [command(run.status === "running" ? "pause" : "resume"), command("cancel")];
}

function state(open: string | undefined, { runs: [latest], progress }: ShownBatch): Markup {
  const words = paragraph(open ?? statusChip(latest?.status ?? "ended"), "lead");
  if (progress === null) return words;
  const { total, queued, running } = progress.customers;
  return joined(words, progressBar(total - queued - running, total));
}
