import type {
  Client,
  WorkflowExecutionDescription,
  WorkflowHandle,
  WorkflowStartOptions,
} from "@temporalio/client";
import { ApplicationFailure, defineSearchAttributeKey, type SearchAttributePair } from "@temporalio/common";
import { decodeOptionalFailureToOptionalError } from "@temporalio/common/lib/internal-non-workflow/index.js";
import { RUN_ATTRIBUTES, TASK_TIMEOUT } from "../domain/run.js";

export async function namespaceId(client: Client): Promise<string> {
  const { namespace } = client.options;
  const { namespaceInfo } = await client.connection.workflowService.describeNamespace({ namespace });
  const id = namespaceInfo?.id;
  if (!id) throw new Error(`Temporal reports no id for the namespace ${namespace}`);
  return id;
}

/** Undefined where there is none of that id. */
export async function describeWorkflow(
  client: Client,
  workflowId: string,
): Promise<WorkflowExecutionDescription | undefined> {
  return unlessMissing(client.workflow.getHandle(workflowId).describe());
}

/** As {@link describeWorkflow}, where it is running. */
export async function describeRunning(
  client: Client,
  workflowId: string,
): Promise<WorkflowExecutionDescription | undefined> {
  const found = await describeWorkflow(client, workflowId);
  return found?.status.name === "RUNNING" ? found : undefined;
}

/** Sends a signal to a workflow; false where none of that id is running. Workers refuse one without a sealed payload. */
export async function signalRunning(
  client: Client,
  workflowId: string,
  signal: string,
  payload: unknown = null,
): Promise<boolean> {
  const sent = client.workflow.getHandle(workflowId).signal(signal, payload);
  return (await unlessMissing(sent.then(() => true))) ?? false;
}

/** Sends a signal to a workflow, which is started where none of that id is running. */
export async function signalOrStart(
  client: Client,
  workflowType: string,
  start: { readonly workflowId: string; readonly taskQueue: string; readonly args: unknown[] },
  signal: string,
  payload: unknown = null,
): Promise<void> {
  await client.workflow.signalWithStart(workflowType, {
    ...start,
    signal,
    signalArgs: [payload],
    workflowTaskTimeout: TASK_TIMEOUT,
  });
}

/** Starts a workflow, unless one of that id has ever been started, as far back as Temporal remembers. */
export async function startOnce(
  client: Client,
  workflowType: string,
  start: Pick<WorkflowStartOptions, "workflowId" | "taskQueue"> & { readonly args: unknown[] },
): Promise<void> {
  const policy = { workflowIdReusePolicy: "REJECT_DUPLICATE", workflowTaskTimeout: TASK_TIMEOUT } as const;
  try {
    await client.workflow.start(workflowType, { ...start, ...policy });
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "WorkflowExecutionAlreadyStartedError") throw error;
  }
}

const RUN_WORKFLOWS = ["sync", "bulkJob", "onboardBatch"] as const;

/** A run that Temporal has. */
export interface StartedRun {
  readonly handle: WorkflowHandle;
  readonly runId: string;
  readonly joined: boolean;
  /** For commands that join the run. */
  readonly memo: Readonly<Record<string, unknown>>;
}

/** The running jobs, as far as the listing knows them by now; each handle is bound to its execution. */
export async function runningRuns(client: Client, taskQueue: string): Promise<StartedRun[]> {
  const types = RUN_WORKFLOWS.map((type) => `WorkflowType = "${type}"`).join(" OR ");
  const query = `ExecutionStatus = "Running" AND TaskQueue = "${taskQueue}" AND (${types})`;
  const runs: StartedRun[] = [];
  for await (const { workflowId, runId: execution, memo = {} } of client.workflow.list({ query })) {
    if (typeof memo.runId !== "string") continue;
    const handle = client.workflow.getHandle(workflowId, execution);
    runs.push({ handle, runId: memo.runId, joined: true, memo });
  }
  return runs;
}

export async function joinRun(client: Client, workflowId: string): Promise<StartedRun | undefined> {
  const running = await describeRunning(client, workflowId);
  return running && joinedRun(client, running);
}

export function joinedRun(
  client: Client,
  { workflowId, memo = {} }: WorkflowExecutionDescription,
): StartedRun {
  return { handle: client.workflow.getHandle(workflowId), runId: String(memo.runId), memo, joined: true };
}

const PROGRESS_WITHIN_MS = 2_000;

/** Queries a run's progress. @throws where no worker answers. */
export function queryProgress<Progress>(
  client: Client,
  handle: WorkflowHandle,
  withinMs = PROGRESS_WITHIN_MS,
): Promise<Progress> {
  return client.connection.withDeadline(Date.now() + withinMs, () => handle.query<Progress>("progress"));
}

/** As {@link queryProgress}; undefined where no worker answers. */
export function progressOf<Progress>(
  ...asked: Parameters<typeof queryProgress>
): Promise<Progress | undefined> {
  return queryProgress<Progress>(...asked).catch(() => undefined);
}

/** A workflow to start; the run's id is in its memo, by which a command knows its own. */
interface RunStart extends Pick<WorkflowStartOptions, "workflowId" | "taskQueue" | "typedSearchAttributes"> {
  readonly args: unknown[];
  readonly memo: { readonly runId: string; readonly [name: string]: unknown };
}

/** For a run whose start was not answered. */
const LOOK_MS = 10_000;

/**
 * Starts a workflow; undefined where another run of that id is running, for the caller to join. If the answer is lost,
 * it asks Temporal whether the run exists.
 *
 * @throws what the start threw, where nothing tells whether the run was started: it may still begin, so what was
 * prepared for it must stay.
 */
export async function startUnlessRunning(
  client: Client,
  workflowType: string,
  start: RunStart,
): Promise<WorkflowHandle | undefined> {
  try {
    return await client.workflow.start(workflowType, { ...start, workflowTaskTimeout: TASK_TIMEOUT });
  } catch (error) {
    const isOurs = await client.connection
      .withDeadline(Date.now() + LOOK_MS, () => describeWorkflow(client, start.workflowId))
      .then(
        (found) => found?.memo?.runId === start.memo.runId,
        () => false,
      );
    if (isOurs) return client.workflow.getHandle(start.workflowId);
    if (error instanceof Error && error.name === "WorkflowExecutionAlreadyStartedError") return undefined;
    throw error;
  }
}

async function unlessMissing<R>(request: Promise<R>): Promise<R | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const GRPC_NOT_FOUND = 5;

// Over the worker's own connection it comes as a bare service error.
function isNotFound(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "WorkflowNotFoundError") return true;
  const cause = error.cause as { code?: unknown } | undefined;
  return (error as { code?: unknown }).code === GRPC_NOT_FOUND || cause?.code === GRPC_NOT_FOUND;
}

const MOST_WITHIN = 4;

/** Type of the failure when a worker was told to stop, as by Ctrl-C: the next worker continues. */
const WORKER_STOPPED = "WorkerShutdown";

/** Attempts that may fail unreported, where the failure does not say what to do. */
const MOST_SILENT_ATTEMPTS = 3;

/**
 * Describes what holds a run up: the last failure of each activity that is being retried, such as a full disk. A
 * timeout or a lost worker counts from the fourth attempt on: a single one means nothing. A run whose memo says in which
 * workflow it `worksIn` is held up by that one too.
 */
export async function pendingFailuresOf(
  client: Client,
  run: WorkflowExecutionDescription,
): Promise<string[]> {
  const children = (run.raw.pendingChildren ?? []).slice(0, MOST_WITHIN);
  const ids = [...children.map(({ workflowId }) => workflowId), run.memo?.worksIn];
  // Undefined for a child that Temporal has not started yet.
  const within = await Promise.all(
    ids.filter((id) => typeof id === "string").map((id) => describeWorkflow(client, id)),
  );
  const described = [run, ...within].filter((workflow) => workflow !== undefined);
  const failures = await Promise.all(described.map((workflow) => failuresOf(client, workflow)));
  return [...new Set(failures.flat())];
}

/** Failures that differ only in the file they name are of one kind: the first one is reported. */
export function failureKind(words: string): string {
  return words.replaceAll(/\/\S+/g, "/…");
}

/** What failed, without the activity that is tried again. */
export function failureReason(words: string): string {
  return words.replace(/^\w+ is tried again: /, "");
}

async function failuresOf(client: Client, { raw, type }: WorkflowExecutionDescription): Promise<string[]> {
  const converter = client.options.loadedDataConverter;
  const words: string[] = [];
  for (const { activityType, lastFailure, attempt } of raw.pendingActivities ?? []) {
    const failure = await decodeOptionalFailureToOptionalError(converter, lastFailure);
    if (failure === undefined) continue;
    if (failure instanceof ApplicationFailure && failure.type === WORKER_STOPPED) continue;
    if (failure instanceof ApplicationFailure || (attempt ?? 0) > MOST_SILENT_ATTEMPTS)
      words.push(`${activityType?.name} is tried again: ${failure.message}`);
  }
  if ((raw.pendingWorkflowTask?.attempt ?? 0) > MOST_SILENT_ATTEMPTS)
    words.push(`the workflow ${type} itself fails again and again; the log says why`);
  return words;
}

const KEYWORD = "KEYWORD";
const known = new WeakMap<Client, Promise<boolean>>();

/** Search attributes of a new run; none where a cluster does not know them. */
export async function startAttributes(
  client: Client,
  { kind, schedule }: { readonly kind: string; readonly schedule: string | undefined },
): Promise<SearchAttributePair[]> {
  const isKnown = known.get(client) ?? knowsAttributes(client);
  known.set(client, isKnown);
  if (!(await isKnown)) return [];
  const values = { kind, status: "running", ...(schedule !== undefined && { schedule }) };
  return Object.entries(values).map(([name, value]) => ({
    key: defineSearchAttributeKey(RUN_ATTRIBUTES[name as keyof typeof RUN_ATTRIBUTES], KEYWORD),
    value,
  }));
}

/** A cluster's administrator adds them (docs/run/operate.md, "Search attributes"); until then runs have none. */
async function knowsAttributes(client: Client): Promise<boolean> {
  try {
    const { namespace } = client.options;
    const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace });
    return Object.values(RUN_ATTRIBUTES).every((name) => customAttributes[name] !== undefined);
  } catch {
    return false;
  }
}
