import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "../../../sandbox/index.js";
import { CUSTOMER_COUNTS, type OnboardSummary } from "../../../src/domain/onboarding/batch/batch-totals.js";
import type { LakeQuery } from "../../../src/lake/query/query.js";
import { few, rowsOf, withLake } from "../lake/lake-audit.js";

/** Line of the file's first customer: the header is the first. */
const FIRST_LINE = 2;

/** A batch whose every customer is to have one onboarding and one outcome. */
interface AuditedBatch {
  readonly lake: string;
  readonly sandbox: Sandbox;
  /** `fp_id` of each customer, in the file's order. */
  readonly users: readonly string[];
}

/** Everything of a batch's customers that is not exactly right, in words; empty when nothing is. */
export async function auditBatch(batch: AuditedBatch): Promise<string[]> {
  return withLake(batch.lake, async (query) => [
    ...auditService(batch),
    ...(await auditOutcomes(query, batch)),
    ...(await auditEvents(query)),
    ...(await auditWebhooks(query, batch)),
  ]);
}

/** What is not right of the end of a batch: its summary, its CSV, and a row of each run that commands announced. */
export async function auditEnd(
  batch: AuditedBatch,
  summary: OnboardSummary,
  runs: ReadonlySet<string>,
): Promise<string[]> {
  return withLake(batch.lake, async (query) => [
    ...auditCounts(batch, summary),
    ...(await auditCsv(query, batch, summary)),
    ...(await auditRuns(query, runs)),
  ]);
}

/** Webhooks that are on their way, or that a receiver took and that are not in the table yet. */
export async function untabledEvents({ lake, sandbox }: AuditedBatch): Promise<string[]> {
  const tabled = await withLake(lake, (query) =>
    rowsOf(query, "select message_id from webhook_events"),
  ).catch(() => []);
  const known = new Set(tabled.map(({ message_id }) => message_id));
  const messages = sandbox.webhooks.messages();
  return messages.flatMap(({ id, state }) => {
    return state === "waiting" || (state === "delivered" && !known.has(id)) ? [`${id}, ${state}`] : [];
  });
}

/** Outcomes that differ from the service's onboardings; empty when none does. */
export async function staleOutcomes({ lake, sandbox }: AuditedBatch) {
  const latest = await withLake(lake, (query) => rowsOf(query, LATEST));
  const stale = latest.filter(({ onboarding_id, status, review }) => {
    const made = sandbox.onboardings.find(String(onboarding_id));
    return made === undefined || status !== statusOf(made) || review !== made.requires_manual_review;
  });
  return stale.map(({ line, status, onboarding_id }) => {
    const user = sandbox.onboardings.find(String(onboarding_id))?.entity_id;
    const told = sandbox.webhooks.messages().filter(({ fp_id }) => fp_id === user);
    return `${line}: ${status}, after ${told.map(({ event_kind, state }) => `${event_kind} ${state}`).join(", ")}`;
  });
}

const LATEST = `select line, onboarding_id, status, requires_manual_review as review, version
  from onboardings qualify row_number() over (partition by line order by attempt desc, version desc) = 1
  order by line`;

function statusOf({ status }: { readonly status: string }): string {
  return status === "incomplete" ? "needs_customer" : status;
}

function auditService({ sandbox, users }: AuditedBatch): string[] {
  const problems = users.flatMap((user) => {
    const { length } = sandbox.onboardings.of(user);
    return length === 1 ? [] : [`the service: ${user} has ${length} onboardings`];
  });
  return few(problems);
}

/** One attempt a line, versions from 1 on without a gap or a double, all of the one onboarding. */
async function auditOutcomes(query: LakeQuery, { sandbox, users }: AuditedBatch): Promise<string[]> {
  const problems: string[] = [];
  const rows = await rowsOf(
    query,
    `select line, list(version order by version) as versions, list(distinct attempt) as attempts,
       list(distinct onboarding_id) as ids from onboardings group by line`,
  );
  const byLine = new Map(rows.map((row) => [Number(row.line), row]));
  for (const [at, user] of users.entries()) {
    const line = at + FIRST_LINE;
    const row = byLine.get(line);
    byLine.delete(line);
    const versions = numbers(row?.versions);
    if (versions.length === 0 || versions.some((version, index) => version !== index + 1)) {
      problems.push(`onboardings: line ${line} has the versions ${versions.join(", ")}`);
    }
    const ids = JSON.stringify(row?.ids);
    if (ids !== JSON.stringify([sandbox.onboardings.of(user)[0]?.id])) {
      problems.push(`onboardings: line ${line} has the onboardings ${ids}`);
    }
    if (row !== undefined && numbers(row.attempts).join() !== "1") {
      problems.push(`onboardings: line ${line} has the attempts ${numbers(row.attempts).join(", ")}`);
    }
  }
  for (const line of byLine.keys()) problems.push(`onboardings: line ${line} should not be there`);
  return few(problems);
}

/** Each outcome has its events, none of them twice. */
async function auditEvents(query: LakeQuery): Promise<string[]> {
  const bare = await rowsOf(
    query,
    `select line, attempt, version from onboardings except select line, attempt, version from onboarding_events`,
  );
  const alone = await rowsOf(
    query,
    `select line, attempt, version from onboarding_events except select line, attempt, version from onboardings`,
  );
  const doubled = await rowsOf(
    query,
    `select line, version, event, message_id from onboarding_events group by all having count(*) > 1`,
  );
  return few([
    ...bare.map((row) => `onboarding_events: nothing of ${JSON.stringify(row)}`),
    ...alone.map((row) => `onboarding_events: without an outcome ${JSON.stringify(row)}`),
    ...doubled.map((row) => `onboarding_events: twice ${JSON.stringify(row)}`),
  ]);
}

/** The summary adds up and says what the service says. */
function auditCounts({ sandbox, users }: AuditedBatch, { customers, status }: OnboardSummary): string[] {
  const sum = CUSTOMER_COUNTS.reduce((total, name) => total + customers[name], 0);
  const problems = sum === customers.total ? [] : [`the summary's counts are ${sum}, not ${customers.total}`];
  if (customers.total !== users.length) problems.push(`the summary's total is ${customers.total}`);
  if (status !== "completed") problems.push(`the batch is ${status}`);
  for (const name of ["pass", "fail", "needs_customer"] as const) {
    const made = sandbox.onboardings.list().filter((one) => statusOf(one) === name).length;
    if (customers[name] !== made) problems.push(`the summary has ${customers[name]} ${name}, not ${made}`);
  }
  return problems;
}

/** `outcomes.csv`: one row a line of the file, in its order, with what the table said then. */
async function auditCsv(query: LakeQuery, { lake, users }: AuditedBatch, { batch_id }: OnboardSummary) {
  const text = await readFile(join(lake, "_batches", batch_id, "outcomes.csv"), "utf8");
  const [header = "", ...rows] = text.trimEnd().split("\r\n");
  const names = header.split(",");
  const column = (row: string, name: string) => row.split(",")[names.indexOf(name)];
  if (rows.length !== users.length) return [`outcomes.csv has ${rows.length} rows`];
  const versions = await rowsOf(query, "select line, version, status from onboardings");
  const known = new Set(versions.map(({ line, version, status }) => `${line} ${version} ${status}`));
  const problems = rows.flatMap((row, at) => {
    const line = at + FIRST_LINE;
    const told = ["line", "version", "status"].map((name) => column(row, name)).join(" ");
    return told.startsWith(`${line} `) && known.has(told) ? [] : [`outcomes.csv: row ${at + 1} says ${told}`];
  });
  return few(problems);
}

/** Every run that was announced has its one row. */
async function auditRuns(query: LakeQuery, runs: ReadonlySet<string>): Promise<string[]> {
  const rows = await rowsOf(query, "select run_id, count(*) as n from runs group by run_id");
  const written = new Map(rows.map(({ run_id, n }) => [String(run_id), Number(n)]));
  return [...runs].flatMap((run) => {
    const n = written.get(run) ?? 0;
    return n === 1 ? [] : [`runs: ${run} has ${n} rows`];
  });
}

/** `webhook_events`: one row a message that was delivered, and none of another. */
async function auditWebhooks(query: LakeQuery, { sandbox }: AuditedBatch): Promise<string[]> {
  const rows = await rowsOf(query, "select message_id, count(*) as n from webhook_events group by all");
  const tabled = new Map(rows.map(({ message_id, n }) => [String(message_id), Number(n)]));
  const problems = sandbox.webhooks.messages().flatMap(({ id, state }) => {
    const n = tabled.get(id) ?? 0;
    tabled.delete(id);
    const right = n === 1 || (n === 0 && state !== "delivered");
    return right ? [] : [`webhook_events: ${id}, ${state}, has ${n} rows`];
  });
  return few([...problems, ...[...tabled.keys()].map((id) => `webhook_events: ${id} was never sent`)]);
}

function numbers(list: unknown): number[] {
  return Array.isArray(list) ? list.map(Number) : [];
}
