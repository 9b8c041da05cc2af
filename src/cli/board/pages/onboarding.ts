import { onboardingEvents, onboardings } from "../../../lake/tables/onboardings.js";
import { runs } from "../../../lake/tables/runs.js";
import { headline, joined, type Markup, paragraph, section, table } from "../../../pages/parts.js";
import { ONBOARD } from "../../runs/kinds.js";
import { openRunWords } from "../../runs/text.js";
import { unfinishedRuns } from "../../runs/unfinished-runs.js";
import { batchTable } from "../onboarding/batches.js";
import { type Burndown, burndownChart, decisionTimes, readBurndown } from "../onboarding/burndown.js";
import { type Queue, type QueueState, queueRows, readQueue, stateCounts } from "../onboarding/queue.js";
import { page } from "../page.js";
import { linkTo, statusChip, warning } from "../shown.js";

interface Onboarding {
  readonly unfinished: readonly {
    readonly batch_id: string | null;
    readonly run_id: string;
    readonly status: string;
    readonly words: string;
  }[];
  readonly burndown: Burndown;
  readonly queue: Queue;
  readonly offline: string | null;
}

export const onboarding = page<Onboarding>("/onboarding", {
  name: "Onboarding",
  tables: [runs, onboardings, onboardingEvents],
  async read(view) {
    const { query, terminal } = view;
    const open = (await unfinishedRuns(view, query)).filter(({ kind }) => kind === ONBOARD.kind);
    return {
      unfinished: open.map((run) => {
        const { job_id: batch_id, run_id, status } = run;
        return { batch_id, run_id, status, words: openRunWords(terminal, run) };
      }),
      burndown: await readBurndown(query),
      queue: await readQueue(query),
      offline: view.missing ?? null,
    };
  },
  title: () => "Onboarding",
  draw: (model) =>
    joined(
      warning(model.offline),
      headline(numbers(model)),
      section("In progress", inProgress(model)),
      section("Batches", batchTable(model.burndown)),
      section("Burn-down", burndownChart(model.burndown)),
      section("Rows by state and age", stateCounts(model.queue)),
      section("For a reviewer", queueRows(model.queue, ["review"], REVIEWS)),
      section(
        "For the customer",
        paragraph(DEADLINE, "aside"),
        queueRows(model.queue, ["customer"], CUSTOMERS),
      ),
      section("Undecided after an hour", queueRows(model.queue, ["decision"], DECISIONS)),
      section("Failed, expired or to be checked", queueRows(model.queue, FAILED, FAILURES)),
      section("Time to decision", decisionTimes(model.burndown)),
    ),
});

const FAILED: readonly QueueState[] = ["failed", "expired", "check"];
const DEADLINE =
  "The rows that began first are on top: each becomes expired_no_response at its batch's --deadline, 14 days after it began unless the batch was given another. A link that ends before is replaced by a fresh one.";
const REVIEWS = { label: "Rows for a reviewer, the oldest first", none: "No row waits for a reviewer." };
const CUSTOMERS = {
  label: "Rows for the customer, the oldest first",
  none: "No row waits for its customer.",
};
const DECISIONS = { label: "Rows without a decision", none: "No row waits so long for the service." };
const FAILURES = { label: "Rows that failed", none: "No row has failed." };

function numbers({ queue }: Onboarding) {
  const count = (...states: readonly QueueState[]) =>
    queue.states.filter(({ state }) => states.includes(state)).reduce((sum, { total }) => sum + total, 0);
  const failed = count(...FAILED);
  return [
    { value: count("review"), label: "rows wait for a reviewer" },
    { value: count("customer"), label: "wait for their customer" },
    { value: count("decision"), label: "undecided after an hour" },
    {
      value: failed,
      label: "failed, expired or to be checked",
      tone: failed > 0 ? ("bad" as const) : undefined,
    },
  ];
}

function inProgress({ unfinished }: Onboarding): Markup {
  const columns = [{ name: "Batch" }, { name: "Status" }, { name: "How far" }];
  const rows = unfinished.map(({ batch_id, run_id, status, words }) => [
    batch_id === null ? linkTo("runs", run_id) : linkTo("onboarding", batch_id),
    statusChip(status),
    words,
  ]);
  return table("Batches in progress", columns, rows, "No batch is in progress.");
}
