import { onboardingEvents } from "../../../lake/tables/onboardings.js";
import {
  type Content,
  code,
  facts,
  joined,
  type Markup,
  paragraph,
  section,
  table,
} from "../../../pages/parts.js";
import { BATCH_TABLES, progressWords, readBatch, type ShownBatch } from "../../runs/show-batch.js";
import { openRunWords } from "../../runs/text.js";
import { type UnfinishedRun, unfinishedRuns } from "../../runs/unfinished-runs.js";
import { actionForm } from "../actions.js";
import { type Burndown, burndownChart, decisionTimes, readBurndown } from "../onboarding/burndown.js";
import { type Queue, queueRows, readQueue, stateCounts } from "../onboarding/queue.js";
import { page } from "../page.js";
import { linkTo, progressBar, statusChip, warning } from "../shown.js";

interface Batch extends ShownBatch {
  /** What its run is doing, or needs to go on; null where none is unfinished. */
  readonly open: { readonly status: string; readonly words: string } | null;
  readonly burndown: Burndown;
  readonly queue: Queue;
  /** Buttons that fit its state. */
  readonly actions: readonly Parameters<typeof actionForm>[1][];
  readonly offline: string | null;
}

/** What `runs retry` runs again. */
const RETRIED = ["failed", "error", "none", "expired_no_response"];

export const batch = page<Batch>("/onboarding/:batch", {
  tables: [...BATCH_TABLES, onboardingEvents],
  async read(view, { part }) {
    const { query, terminal, missing } = view;
    const id = part("batch");
    const shown = await readBatch(view, query, id);
    const run = (await unfinishedRuns(view, query)).find(({ job_id }) => job_id === id);
    return {
      ...shown,
      open: run === undefined ? null : { status: run.status, words: openRunWords(terminal, run) },
      burndown: await readBurndown(query, id),
      queue: await readQueue(query, id),
      actions: actionsOf(shown, run),
      offline: run?.status === "interrupted" ? (missing ?? null) : null,
    };
  },
  title: ({ batch_id }) => `Batch ${batch_id}`,
  draw: (model, asked) => {
    const { batch_id, offline, actions, burndown, queue } = model;
    const rows = (label: string) => ({ label, none: "No row waits so.", batchId: batch_id });
    return joined(
      state(model),
      warning(offline),
      ...actions.map((name) => actionForm(asked, name, batch_id)),
      facts(about(model)),
      section("Customers by outcome", outcomes(model)),
      section("What did not pass, and what to do", findings(model)),
      section("Burn-down", burndownChart(burndown)),
      section("Rows by state and age", stateCounts(queue)),
      section("For a reviewer", queueRows(queue, ["review"], rows("Rows for a reviewer"))),
      section("For the customer", queueRows(queue, ["customer"], rows("Rows for the customer"))),
      section(
        "Everything else that waits",
        queueRows(
          queue,
          ["decision", "failed", "expired", "check", "cancelled"],
          rows("Rows that wait for something else"),
        ),
      ),
      section("Time to decision", decisionTimes(burndown)),
    );
  },
});

/** An interrupted batch may be a paused one, whose Temporal ended with its command: resuming begins both again. */
function actionsOf({ statuses, progress }: ShownBatch, run: UnfinishedRun | undefined): Batch["actions"] {
  if (run === undefined) return RETRIED.some((status) => (statuses[status] ?? 0) > 0) ? ["batch-retry"] : [];
  if (run.status === "lost" || progress?.cancelling) return [];
  return [run.status === "running" ? "batch-pause" : "batch-resume", "batch-cancel"];
}

function state({ open, runs, progress }: Batch): Markup {
  const [latest] = runs;
  const words = open?.words ?? statusChip(latest?.status ?? "ended");
  const bar =
    progress === null
      ? null
      : progressBar(
          progress.customers.total - progress.customers.queued - progress.customers.running,
          progress.customers.total,
        );
  return joined(paragraph(words, "lead"), bar);
}

function about({ batch_id, playbook_key, progress, runs }: Batch): [string, Content][] {
  const links = runs.flatMap(({ run_id, status }) => [
    linkTo("runs", run_id),
    ` ${status.replaceAll("_", " ")} `,
  ]);
  return [
    ["Playbook", playbook_key === null ? null : code(playbook_key)],
    ["Running", progress && progressWords(progress)],
    ["Last runs", links.length === 0 ? null : joined(...links)],
    ["Command", code(`nightledger runs show ${batch_id}`)],
  ];
}

function outcomes({ statuses }: Batch): Markup {
  const columns = [{ name: "Status" }, { name: "Rows", isCount: true }];
  const rows = Object.entries(statuses).map(([status, count]) => [statusChip(status), count]);
  return table("Rows by their latest status", columns, rows, "No row has an outcome yet.");
}

function findings({ findings: found }: Batch): Markup {
  const columns = [
    ...[{ name: "Status" }, { name: "Why" }, { name: "Rows", isCount: true }],
    ...[{ name: "The first" }, { name: "What to do" }],
  ];
  const rows = found.map(({ status, reason, count, examples, action }) => [
    statusChip(status),
    reason,
    count,
    examples.join(", "),
    action,
  ]);
  return table("Rows that ended alike", columns, rows, "Every row passed.");
}
