import { SchemaError, TransientError } from "../api/http/errors.js";
import { callVaultProxy } from "../api/operations/vault-proxy.js";
import { type BodyTemplate, bodyForm } from "../domain/bulk/body-template.js";
import { FAILURE_TYPES } from "../domain/failures.js";
import { uniqueIn } from "../domain/row-problem.js";
import type { ProxyDigest } from "../lake/calls/staged-call.js";
import type { Lake } from "../lake/lake.js";
import { readTables } from "../lake/query/query-views.js";
import { sqlList, sqlText } from "../lake/sql/duckdb-sql.js";
import { proxyCalls } from "../lake/tables/bulk.js";
import { type AnyJob, type BulkJob, itemOf, type JobRow } from "./job.js";
import { type ProxyInputs, type ProxyOptions, proxyKind } from "./kinds/proxy.js";
import { checkCommon, defined, headerParts, readHeaders, readText } from "./proxy/request.js";
import { type ProxyRow, requestOf, requestRow, templateRow } from "./proxy/row.js";

/** Bytes of the longest answer whose body is kept. */
const MOST_KEPT_BYTES = 256 * 1024;

const LOST = "lost_answer";
const CUT = "cut_answer";
const SENT_EARLIER = "an earlier run sent it";

/** What a body is, unless the command says so. */
const JSON_TYPE = "application/json";

/** What became of a request. */
interface ProxyResult {
  readonly status: "answered" | "unknown" | "skipped";
  readonly reason: string | null;
  readonly answer: ProxyDigest | null;
  /** Requests that may have reached the service. */
  readonly asked: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Sends requests through a vault proxy, each at most once unless its row says that it may be repeated. */
export const proxyJob: BulkJob<ProxyRow, ProxyResult, ProxyOptions> = {
  ...proxyKind,
  row: requestRow,
  unique: uniqueIn("id"),
  complete: () => ({ row: (row) => requestOf(row, undefined) }),
  owner: ({ id }) => id,
  secret: { name: "headers", use: "sent headers or certificates" },
  async read({ options, inputs }, open) {
    const { body_template, ...given }: ProxyInputs = inputs;
    const secret = await readHeaders(given, open);
    checkCommon(options, secret);
    if (body_template === undefined) return { ...headersRead(secret) };
    const text = await readText(open, "--body-template", body_template);
    const form = bodyForm(options.content_type ?? JSON_TYPE);
    return { ...headersRead(secret), job: proxyJobOf({ text, form }) as AnyJob };
  },
  groupRows: 500,
  async plan({ lake, options }, rows) {
    const ids = rows.map(({ row }) => row.id);
    const known = await knownCalls(lake, options.proxy, ids);
    const stateOf = ({ row }: JobRow<ProxyRow>): KnownCall | undefined => {
      const state = known.get(row.id);
      const mayRepeat = row.repeatable === true || options.send_unknown === true;
      return state !== "answered" && mayRepeat ? undefined : state;
    };
    return {
      work: rows.filter((one) => stateOf(one) === undefined).map(itemOf),
      ended: rows.flatMap((one) => {
        const state = stateOf(one);
        return state === undefined ? [] : [{ rows: [one], result: endedEarlier(state) }];
      }),
    };
  },
  async work([first], { options, secrets, once, lost }) {
    if (first === undefined) throw new Error("an item without a row");
    const { row } = first;
    const terms = {
      repeatable: row.repeatable === true,
      keepBytes: options.keep_body === true ? MOST_KEPT_BYTES : 0,
    };
    const params = requestParams(row, options, secrets.headers ?? "{}");
    try {
      const { body, asked, at } = await once<typeof callVaultProxy, ProxyDigest>(
        "call",
        callVaultProxy,
        params,
        undefined,
        terms,
      );
      return { status: "answered", reason: answerProblem(body, options), answer: body, asked, at };
    } catch (error) {
      const reason = unansweredBy(error);
      if (reason === undefined) throw error;
      return {
        status: "unknown",
        reason,
        answer: null,
        asked: await lost("call"),
        at: Date.now(),
      };
    }
  },
  end({ status, reason, answer }) {
    if (status === "skipped") return { status, reason };
    if (status === "unknown") return { status: "failed", reason };
    const isAccepted = answer !== null && answer.status < 400;
    return isAccepted ? undefined : { status: "failed", reason: `http_${answer?.status}` };
  },
  isUnsure: (reason) =>
    [LOST, CUT].includes(reason) || reason.startsWith(SENT_EARLIER) || /^http_5\d\d$/.test(reason),
  advice: (reason) =>
    reason === "http_404"
      ? "404 came back and no request went through: check the id given to --config, and send them again with the right one"
      : undefined,
  skippedRows: (runId) => `select reason, 'line ' || line || ' ' || id as owner from proxy_calls
    where run_id = '${runId}' and status = 'skipped'`,
  tables: [proxyCalls],
  rows: ({ runId, options }, { rows, result, reason, asked }) => {
    const failed = { status: asked > 0 ? "unknown" : "refused", reason, answer: null, asked, at: Date.now() };
    const end = result ?? failed;
    const { answer } = end;
    return {
      proxy_calls: rows.map(({ line, row: { id, fp_id } }) => ({
        ...{ run_id: runId, line, proxy: options.proxy, id, fp_id: fp_id ?? null },
        ...{ status: end.status, reason: end.reason, http_status: answer?.status ?? null, asked: end.asked },
        ...{ content_type: answer?.contentType ?? null, duration_ms: answer?.durationMs ?? null },
        ...{ response_bytes: answer?.bytes ?? null, response_sha256: answer?.sha256 ?? null },
        ...keptBody(answer, options),
        called_at: new Date(end.at).toISOString(),
      })),
    };
  },
};

/** The headers as a secret, and what the options say of them. */
function headersRead(secret: string | undefined) {
  return secret === undefined ? {} : { secret, options: { headers: headerParts(secret) } };
}

/** The job over a file whose bodies a template makes. */
function proxyJobOf(template: BodyTemplate): BulkJob<ProxyRow, ProxyResult, ProxyOptions> {
  return {
    ...proxyJob,
    row: templateRow(template),
    complete: () => ({ row: (row) => requestOf(row, template) }),
  };
}

/** What becomes of a request that is not sent, because an earlier run has sent it. */
function endedEarlier(state: KnownCall): ProxyResult {
  const nothing = { answer: null, asked: 0, at: Date.now() };
  if (state === "answered") return { status: "skipped", reason: "already answered", ...nothing };
  const came =
    state === "lost" ? "its answer was lost" : `was answered with ${state}, so the target may have acted`;
  return { status: "unknown", reason: `${SENT_EARLIER} and ${came}`, ...nothing };
}

/** The parameters of a row's call; its own method counts before that of the command. */
function requestParams(
  { fp_id, path_and_query, method, body }: ProxyRow,
  options: ProxyOptions,
  headers: string,
) {
  const common = {
    method: options.method,
    access_reason: options.access_reason,
    content_type: options.content_type,
  };
  const given = { content_type: body === undefined ? undefined : JSON_TYPE, ...defined(common) };
  return {
    path: { id: options.proxy },
    headers: { ...JSON.parse(headers), ...given, ...defined({ fp_id, path_and_query, method }) },
    ...(body !== undefined && { body: Buffer.from(body) }),
  };
}

/** Why a request that was sent has no answer; undefined for an error that the engine judges. */
function unansweredBy(error: unknown): string | undefined {
  // Of an answer whose status and type are not judged, only its length can break the contract.
  if (error instanceof SchemaError) return CUT;
  if (!(error instanceof Error) || error.name !== FAILURE_TYPES.lostAnswer) return undefined;
  const { cause } = error;
  const hasBegun = cause instanceof TransientError && cause.status !== undefined;
  return hasBegun && cause.reason === "timeout" ? CUT : LOST;
}

function answerProblem({ bytes, body, status }: ProxyDigest, { keep_body }: ProxyOptions): string | null {
  if (keep_body === true && body === null) return `its body of ${bytes} bytes is too long to be kept`;
  return status < 400 ? null : `http_${status}`;
}

/** The columns of a body: its text, or its base64 where it is no UTF-8. */
function keptBody(answer: ProxyDigest | null, { keep_body }: ProxyOptions) {
  if (keep_body !== true || answer === null || answer.body === null)
    return { body: null, body_encoding: null };
  const bytes = Buffer.from(answer.body, "base64");
  const text = bytes.toString("utf8");
  const isText = Buffer.from(text).equals(bytes) && !text.includes("\0");
  return isText ? { body: text, body_encoding: "utf-8" } : { body: answer.body, body_encoding: "base64" };
}

/**
 * How the calls of earlier runs under an id ended: answered, lost, or with an error of the target after which it may have
 * acted. One that the target refused may be made again.
 */
type KnownCall = "answered" | "lost" | `http_${number}`;

/**
 * The requests of a proxy that earlier runs have sent, by their ids. A status of 500 or more says that something went
 * wrong, not whether the target acted.
 */
async function knownCalls(
  lake: Lake,
  proxy: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, KnownCall>> {
  const known = new Map<string, KnownCall>();
  await readTables(lake, [proxyCalls], async (sql) => {
    const calls = sql.stream(
      `select id, bool_or(status = 'answered' and http_status < 400) as answered,
         bool_or(status = 'unknown' and asked > 0) as lost, arg_max(http_status, called_at) as http_status
       from proxy_calls
       where proxy = ${sqlText(proxy)} and list_contains(${sqlList(ids)}, id)
         and (status = 'unknown' or status = 'answered' and (http_status < 400 or http_status >= 500))
       group by id`,
    );
    for await (const batch of calls) {
      for (const { id, answered, lost, http_status } of batch) {
        const failed =
          lost === true || http_status === null ? "lost" : (`http_${Number(http_status)}` as const);
        known.set(String(id), answered === true ? "answered" : failed);
      }
    }
  });
  return known;
}
