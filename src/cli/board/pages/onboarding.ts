import { onboardingEvents, onboardings } from "../../../lake/tables/onboardings.js";
import { runs } from "../../../lake/tables/runs.js";
import { headline, headNumber, joined } from "../../../pages/parts.js";
import { BATCHES } from "../../runs/kinds.js";
import { openRunWords } from "../../runs/text.js";
import { unfinishedRuns } from "../../runs/unfinished-runs.js";
import { batchSection, readStanding, standingSections, waitingIn } from "../onboarding.js";
import { page } from "../page.js";
import { linkTo, tableSection, warning } from "../shown.js";

export const onboarding = page("/onboarding", {
  title: "Onboarding",
  tables: [runs, onboardings, onboardingEvents],
  async read(view) {
    const { query, missing } = view;
    const open = (await unfinishedRuns(view)).filter(({ kind }) => kind === BATCHES.kind);
    const unfinished = open.map((run) => {
      const { job_id: batch_id, run_id, status } = run;
      return { batch_id, run_id, status, words: openRunWords(run) };
    });
    return { unfinished, ...(await readStanding(query)), offline: missing ?? null };
  },
  draw: (model) => {
    const failed = waitingIn(model, "failed", "expired", "check");
    return joined(
      warning(model.offline),
      headline([
        headNumber(waitingIn(model, "review"), "rows wait for a reviewer"),
        headNumber(waitingIn(model, "customer"), "wait for their customer"),
        headNumber(waitingIn(model, "decision"), "undecided after an hour"),
        headNumber(failed, "failed, expired or to be checked", failed > 0),
      ]),
      tableSection("In progress", "Batches in progress", "No batch is in progress.", model.unfinished, {
        Batch: ({ batch_id, run_id }) =>
          batch_id === null ? linkTo("runs", run_id) : linkTo("onboarding", batch_id),
        Status: "status",
        "How far": "words",
      }),
      batchSection(model),
      standingSections(model),
    );
  },
});
