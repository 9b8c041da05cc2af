import { readConfig } from "../../../config.js";
import { durationWords } from "../../../domain/duration.js";
import { NotThereError } from "../../../domain/failures.js";
import { forecastMs, type PastRuns } from "../../../domain/runs/forecast.js";
import { skippedAction } from "../../../domain/sync/link-obstacle.js";
import { counted } from "../../../domain/words/counted.js";
import { bytesWords, labelledLines } from "../../../domain/words/texts.js";
import { runKindOf, type ScheduledJob } from "../../../intake/schedules/scheduled-job.js";
import type { LakeQuery } from "../../../lake/query/query.js";
import { rowsOf, withStoreQuery } from "../../../lake/query/store-query.js";
import { sqlText } from "../../../lake/sql/duckdb-sql.js";
import { linkSyncs } from "../../../lake/tables/link-syncs.js";
import { onboardings } from "../../../lake/tables/onboardings.js";
import { runs } from "../../../lake/tables/runs.js";
import { parseScheduledCommand } from "../../schedules/scheduled-command.js";
import { readLakeView } from "../../session/preflight.js";
import { type JsonFlag, showResult } from "../../terminal/colours.js";
import type { Terminal } from "../../terminal/terminal.js";
import { type PlannedJob, planRows } from "./rows.js";
import { planSync } from "./sync.js";
import { bytesEach } from "./sync-nights.js";

/** Runs whose calls and times are learnt from. */
const LEARNT_FROM = 10;

const IN_PLAN = {
  that: "can be planned",
  place: "in a plan",
  example: "Give one of {}, with its options, as in: nightledger plan sync --roster users.csv",
};

/** Says what a job would do, and starts nothing. @throws InputError where its command line or file is wrong */
export async function showPlan(
  terminal: Terminal,
  words: readonly string[],
  { json }: JsonFlag,
): Promise<void> {
  const plan = await readPlan(terminal, await parseScheduledCommand(terminal, words, IN_PLAN));
  showResult(terminal, json, plan, () => planLines(plan));
}

/** A plan, as `--json` prints it. */
interface Plan extends PlannedJob {
  readonly kind: string;
  readonly ms: ReturnType<typeof forecastMs>;
}

/** Reads what a job would do now. @throws InputError where its file is wrong, or it makes no calls */
export async function readPlan(terminal: Terminal, job: ScheduledJob): Promise<Plan> {
  const lake = await readLakeView(terminal);
  const { api } = readConfig(terminal, ["api"]);
  const planned = await withStoreQuery(
    lake.store,
    async (query) => {
      const past = await pastRuns(query, runKindOf(job));
      return { past, ...(await plannedJob(job, { ...lake, past, query })) };
    },
    { tables: [runs, linkSyncs, onboardings] },
  );
  const { past, ...plan } = planned;
  const { calls } = plan.forecast;
  const ms = calls === null ? { at_pace: null, at_limit: null } : forecastMs(calls, past, api.rps);
  return { kind: runKindOf(job), ...plan, ms };
}

function plannedJob(
  job: ScheduledJob,
  seen: Parameters<typeof planRows>[1] & Parameters<typeof planSync>[1],
): Promise<PlannedJob> {
  if (job.kind === "sync") return planSync(job, seen);
  if (job.kind === "alerts" || job.kind === "maintain")
    throw new NotThereError(
      `${job.kind === "alerts" ? "alerts check" : job.kind} makes no calls, so there is nothing to plan.`,
    );
  return planRows(job, seen);
}

async function pastRuns(query: LakeQuery, kind: string): Promise<PastRuns> {
  const sumOf = (sql: string) => `coalesce(sum(${sql}), 0)`;
  // A batch's later runs and retries have all of its rows under `users`, also those that they left alone.
  const owners =
    kind === "onboard"
      ? "(select count(distinct line) from onboardings where onboardings.run_id = past.run_id)"
      : "coalesce(users, 0) - if(kind = 'sync', 0, coalesce(skipped, 0))";
  const [row] = await rowsOf<PastRuns>(
    query,
    `select count(*) as runs, ${sumOf(owners)} as owners,
      ${sumOf("calls")} as calls, ${sumOf("pages")} as pages,
      ${sumOf("epoch_ms(finished_at) - epoch_ms(started_at) - coalesce(paused_ms, 0)")} as "workedMs",
      ${bytesEach("calls")} as "bytesEach"
    from (select * from runs where kind = ${sqlText(kind)} and status in ('completed', 'completed_with_failures') and calls > 0
      order by started_at desc limit ${LEARNT_FROM}) as past`,
  );
  return row as PastRuns;
}

/** Says a plan to people. */
export function planLines({ forecast, rows, done, invalid, skipped, ms }: Plan): string[] {
  const { at_pace, at_limit } = ms;
  const { calls, pages, bytes, basis } = forecast;
  const times = [
    ...(at_pace === null ? [] : [`about ${durationWords(at_pace)} at the pace of earlier runs`]),
    ...(at_limit === null ? [] : [`at least ${durationWords(at_limit)} under NIGHTLEDGER_API_RPS`]),
  ];
  const skips = skipped.map(({ reason, count }) => {
    const action = skippedAction(reason);
    return `${count} × ${reason}${action === undefined ? "" : ` → ${action}`}`;
  });
  return labelledLines([
    ["rows", `${rows}${invalid === 0 ? "" : `, ${invalid} of them invalid`}`],
    ["done", done === 0 ? null : `${done} need no work: an earlier run did it`],
    [
      "calls",
      calls === null
        ? "not known"
        : `about ${calls}${pages === null ? "" : ` for ${counted(pages, "page")}`}${betweenWords(forecast)}`,
    ],
    ["", basis],
    [
      "bytes",
      bytes !== null ? `about ${bytesWords(bytes)} of answers` : calls === null ? null : "not known yet",
    ],
    ["time", times.length === 0 ? null : times.join("; ")],
    ["skips", skips.length === 0 ? null : skips],
    ["note", "nothing was started"],
  ]);
}

function betweenWords({ between, nights }: Plan["forecast"]): string {
  if (nights === null) return "";
  if (between === null) return "; too few nights like this one tell how far it may be off";
  return `; between ${between[0]} and ${between[1]}, as each of the last ${nights} nights was for as many users`;
}
