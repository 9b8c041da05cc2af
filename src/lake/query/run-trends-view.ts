const SECONDS = "round((epoch_ms(finished_at) - epoch_ms(started_at)) / 1000, 3)";

/** SQL of `run_trends`: one row for each run that ended, with its times in seconds and its rows per second. */
export const RUN_TRENDS = `
  select run_id, kind, schedule, started_at::date as day, started_at, ${SECONDS} as duration_s, status, links,
    created, updated, removed, quarantined, failed, calls, pages, restarts, round(paused_ms / 1000, 3) as paused_s,
    round((created + updated + removed) / nullif(${SECONDS}, 0), 1) as rows_per_s
  from runs`;
