import { meantWords, nearestOf } from "../../domain/words/nearest.js";
import type { LakeQuery } from "../../lake/query/query.js";
import { rowsOf } from "../../lake/query/store-query.js";

/** The run that a wrong id most probably means. */
export async function nearRun(
  query: LakeQuery,
  id: string,
  open: readonly string[] = [],
): Promise<string | undefined> {
  const sql = "select run_id from runs order by started_at desc limit 1000";
  const ended = await rowsOf<{ readonly run_id: string }>(query, sql);
  return nearestOf([...open, ...ended.map(({ run_id }) => run_id)], id);
}

export async function notEnded(query: LakeQuery, id: string): Promise<string> {
  return `run ${id} has not ended, or is not in this lake.${meantWords(await nearRun(query, id))}`;
}
