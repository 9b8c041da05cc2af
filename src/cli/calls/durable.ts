import { createHash, randomBytes, randomUUID } from "node:crypto";
import { checkGrant } from "../../api/http/auth.js";
import { checkRequest } from "../../api/http/request.js";
import type { Operation } from "../../api/operations/operation.js";
import { isByteSource } from "../../api/schemas/byte-source.js";
import { callWorkflowId, durableCallPrefix } from "../../domain/calls/answered-call.js";
import { FAILURE_TYPES, InputError } from "../../domain/failures.js";
import type { RunStatus } from "../../domain/run.js";
import { joinRun, type StartedRun } from "../../intake/start-or-join.js";
import { isSameRequest, type SealedRequest, stageRequest } from "../../lake/calls/staged-call.js";
import { putStream } from "../../lake/store/sealed-store.js";
import { startUnlessRunning } from "../../temporal/running-workflows.js";
import type {
  CallProgress,
  CallServiceInput,
  CallServiceResult,
} from "../../workflows/calls/call-service.js";
import type { JobSession } from "../session/job-session.js";
import { endWithoutResult, type JobRun, type LeftRun } from "../shell/run.js";
import { runJob } from "../shell/shell.js";
import type { Terminal } from "../terminal/terminal.js";
import { type OutputFile, openOutputFile } from "../terminal/whole-file.js";
import { type KeptShown, prettyBody, showKept } from "./answer.js";
import { type CallFlags, grantOf, notSent, readCallRequest } from "./request.js";

type DurableEnd = CallServiceResult & { readonly shown?: KeptShown };

/** Makes one call as a run that outlives its command; returns the exit code. @throws InputError */
export async function runDurableCall(
  terminal: Terminal,
  operation: Operation,
  flags: CallFlags,
): Promise<number> {
  checkFlags(operation, flags);
  const requestId = flags.requestId ?? randomBytes(8).toString("hex");
  const file = flags.output === undefined ? undefined : await openOutputFile(flags.output);
  try {
    return await runJob(terminal, flags, {
      read: () => requestOf(operation, flags),
      async plan(_, request) {
        if (flags.requestId === undefined) {
          terminal.say(
            `request ${requestId}: a later command with \`--request-id ${requestId}\` joins it, or prints its answer`,
          );
        }
        // The service is not asked here, so a kept answer is printed even while it can't be reached.
        return { pingedUser: undefined, run: durableRun(operation, flags, requestId, request, file) };
      },
    });
  } finally {
    await file?.discard();
  }
}

function durableRun(
  operation: Operation,
  flags: CallFlags,
  requestId: string,
  request: PlannedRequest,
  file: OutputFile | undefined,
): JobRun<CallProgress, DurableEnd> {
  const name = createHash("sha256").update(requestId).digest("hex").slice(0, 32);
  const prefix = durableCallPrefix(name);
  return {
    start: (session) => startCall(session, name, requestId, request),
    again: `the same command with --request-id ${requestId}`,
    progress: {
      bar: operation.name,
      figures: () => ({ done: 0, total: 1 }),
      line: () => `${operation.name}: not answered yet`,
    },
    async afterEnd({ sealed }, result) {
      if ("failure" in result) return { kind: "completed", result };
      const shown = await showKept(sealed, prefix, operation, flags.showSecrets === true, file);
      return { kind: "completed", result: { ...result, shown } };
    },
    outcome: (left) => outcomeOf(requestId, left),
  };
}

function outcomeOf(request_id: string, { end }: LeftRun<CallProgress, DurableEnd>) {
  const unanswered = (status: RunStatus, more: object = {}) => ({
    summary: { request_id, status, ...more },
    text: `request ${request_id}: ${status}`,
    unauthorized: false,
    notes: [] as string[],
  });
  if (end?.kind !== "completed") return unanswered(endWithoutResult(end).status);
  const { result } = end;
  if ("failure" in result) {
    const { failure } = result;
    const unauthorized = failure.class === FAILURE_TYPES.auth;
    const notes = [`${failure.class}: ${failure.message}`];
    return { ...unanswered("failed", { error: failure }), unauthorized, notes };
  }
  const { repeated, shown } = result;
  const { summary } = unanswered("completed", { repeated, ...shown });
  const notes = [`answered at ${shown?.answered_at}${WORDS[repeated]}`];
  return { summary, text: prettyBody(shown?.body), unauthorized: false, notes };
}

const WORDS = {
  no: "",
  found: ", to an earlier command with this id; nothing was sent now",
  settled: "; the answer to an earlier request was lost, and its effect was found",
} as const;

/** A request before its bytes are staged. */
interface PlannedRequest {
  readonly request: SealedRequest;
  readonly body?: AsyncIterable<Uint8Array>;
}

async function requestOf(operation: Operation, flags: CallFlags): Promise<PlannedRequest> {
  const { params, clientToken } = await readCallRequest(operation, flags.param ?? [], flags.body);
  const checked = checkRequest(operation, params);
  if (clientToken !== undefined) {
    throw notSent(
      operation,
      `a client token may expire before a durable call is made`,
      `Give --for <fp_id> instead, which makes a token for each attempt`,
    );
  }
  const grant = grantOf(operation, flags.for, clientToken, checked);
  checkGrant(operation, checked, grant);
  const { body, ...rest } = params as { readonly body?: unknown };
  const isBytes = operation.sends === "bytes" && body !== undefined;
  const request: SealedRequest = {
    operation: operation.name,
    params: isBytes ? rest : params,
    ...(flags.for !== undefined && { owner: { fp_id: flags.for } }),
    ...(flags.anyStatus && { anyStatus: true }),
  };
  return isByteSource(body) ? { request, body: body.open() } : { request };
}

/** Stages the request once, and starts its workflow or joins the running one. */
async function startCall(
  session: JobSession,
  name: string,
  requestId: string,
  planned: PlannedRequest,
): Promise<StartedRun> {
  const { sealed, temporal, preflight, signal } = session;
  const prefix = durableCallPrefix(name);
  const request = await withBytes(session, prefix, planned);
  const staged = await stageRequest(sealed, prefix, request);
  if (staged !== request) {
    if (request.bytes !== undefined) await sealed.deletePrefix(`${request.bytes.stream}/`);
    if (!isSameRequest(staged, request)) {
      throw new InputError(
        `--request-id: ${requestId} belongs to another request (of ${staged.operation}); nothing was sent. Give the same operation and parameters, or another id`,
      );
    }
  }
  const workflowId = callWorkflowId(preflight.scope, name);
  const input: CallServiceInput = { operation: request.operation, prefix };
  const memo = { runId: name };
  const start = { workflowId, taskQueue: preflight.taskQueue, args: [input], memo };
  for (;;) {
    const running = await joinRun(temporal.client, workflowId);
    if (running !== undefined) return { ...running, runId: requestId };
    signal.throwIfAborted();
    const handle = await startUnlessRunning(temporal.client, "callService", start);
    if (handle !== undefined) return { handle, runId: requestId, memo, joined: false };
  }
}

/** Stages the bytes, so that every worker can read them. */
async function withBytes(
  { sealed }: JobSession,
  prefix: string,
  { request, body }: PlannedRequest,
): Promise<SealedRequest> {
  if (body === undefined) return request;
  const stream = `${prefix}bytes/${randomUUID()}`;
  const { sha256 } = await putStream(sealed, stream, body);
  return { ...request, bytes: { stream, sha256 } };
}

function checkFlags(operation: Operation, { requestId, anyStatus, detach, output }: CallFlags): void {
  if (operation.name === "create_client_token") {
    throw notSent(operation, "a durable call would not keep the token", "Leave --durable out");
  }
  if (anyStatus && operation.answers !== "bytes") {
    throw notSent(operation, "--any-status is for the vault proxy only", "Leave --any-status out");
  }
  if (detach && output !== undefined) {
    throw notSent(
      operation,
      "--detach returns before there is an answer to write",
      "Give --output to the command that joins it",
    );
  }
  if (requestId !== undefined && !/^[\x21-\x7e]{1,100}$/.test(requestId)) {
    throw notSent(operation, "--request-id is not 1 to 100 visible ASCII characters", "Give such an id");
  }
}
