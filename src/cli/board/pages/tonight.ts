import { kindWords } from "../../../domain/bulk/bulk-job.js";
import { DAY } from "../../../domain/duration.js";
import { isRetried } from "../../../domain/onboarding/batch/row-plan.js";
import { whyCutShort } from "../../../domain/run.js";
import { endedRuns } from "../../../intake/runs/ended-runs.js";
import { isMadeGood, type LatestRun } from "../../../intake/runs/latest-runs.js";
import { rowsOf } from "../../../lake/query/store-query.js";
import { onboardingEvents } from "../../../lake/tables/onboardings.js";
import { chip, headline, joined, link, paragraph } from "../../../pages/parts.js";
import { lakeStatus, STATUS_TABLES } from "../../runs/lake-status.js";
import { datedAhead } from "../../runs/status-text.js";
import {
  averageWords,
  doneWords,
  openRunWords,
  runFigures,
  tookWords,
  waitingWords,
} from "../../runs/text.js";
import { page } from "../page.js";
import { linkTo, progressBar, saying, statusChip, tableSection, warning } from "../shown.js";
import { verdictOf, type Waits } from "../verdict.js";
import { NIGHTS } from "./links.js";

const STALE_MS = 3 * DAY;
/** A sync of the last day may have begun earlier. */
const BEGAN_WITHIN_MS = 3 * DAY;
/** Webhooks may start one for each change. */
const MOST_SYNCS = 5_000;
/** Each link once, as *Links* counts them. */
const WAITS = `select (select count(*) from onboarding_queue where state = 'review') as reviews,
    count(*) filter (turn = 'customer') as customer_links,
    count(*) filter (turn = 'us' and last_status = 'skipped') as unclear_links
  from link_freshness where last_at::date > current_date - ${NIGHTS}`;

export const tonight = page("/", {
  title: "Tonight",
  tables: [...STATUS_TABLES, onboardingEvents],
  async read(view) {
    const since = new Date(Date.now() - BEGAN_WITHIN_MS).toISOString();
    const [status, syncs, [waits]] = await Promise.all([
      lakeStatus(view, STALE_MS),
      endedRuns(view.query, { kind: "sync", since }, MOST_SYNCS),
      rowsOf<Waits>(view.query, WAITS),
    ]);
    const unfinished = status.unfinished.map((run) => {
      const words = openRunWords(run);
      const { run_id, status } = run;
      return { run_id, status, words, figures: runFigures(run), waiting: waitingWords(run) };
    });
    return { ...status, unfinished, ...waits!, verdict: verdictOf({ ...status, syncs }, waits!, Date.now()) };
  },
  draw: ({
    verdict: { word, tone, sentence, numbers },
    dated_ahead,
    offline,
    unfinished,
    hooks,
    latest,
    schedules,
  }) =>
    joined(
      paragraph(joined(chip(word, tone), ` ${sentence}`), "lead"),
      headline(numbers),
      warning(datedAhead(dated_ahead)),
      warning(offline),
      tableSection("In progress", "Runs in progress", "No run is in progress.", unfinished, {
        Run: "run_id",
        Status: "status",
        "How far": ({ words, figures, waiting }) =>
          joined(
            figures === null ? null : progressBar(figures.done, figures.total),
            saying([words, averageWords(figures), ...waiting], "; "),
          ),
      }),
      hooks.length === 0
        ? null
        : tableSection("Late messages to hooks", "Messages that hooks did not get", "None.", hooks, {
            About: "about",
            Event: "event",
            "Why not": ({ reason, given_up }) =>
              saying([reason, given_up ? "given up" : "tried again"], "; "),
          }),
      tableSection("Last of each job", "The last run of each job", "Nothing has run yet.", latest, {
        Job: ({ run_id, kind, schedule }) => linkTo("runs", run_id, saying([kindWords(kind), schedule], " ")),
        Status: (run) => statusChip(run.status, isMadeGood(run)),
        Ended: "finished_at",
        Took: tookWords,
        "What it did": didWords,
      }),
      tableSection("Next", "Next firings", "No schedule fires.", schedules, {
        Schedule: ({ name }) => link("/schedules", name),
        "Next firing": ({ paused, next }) => (paused ? chip("paused", "note") : (next ?? "never")),
      }),
    ),
});

function didWords(run: LatestRun): string {
  if (isMadeGood(run)) return doneWords(run);
  const failed = run.findings.filter(({ status }) => isRetried(status));
  const [, why] = whyCutShort(run);
  const failures = failed.map(({ status, reason, count, action }) =>
    saying([`${count} × ${reason || status}`, action]),
  );
  return saying([doneWords(run), typeof why === "string" ? why : null, ...failures], "; ");
}
