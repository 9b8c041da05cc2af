import { ApplicationFailure, cancellationSignal } from "@temporalio/activity";
import { Webhook } from "standardwebhooks";
import { InputError } from "../../domain/failures.js";
import { type HookDelivery, hookBody } from "../../domain/hooks/message.js";
import { parseRetryAfter } from "../../domain/service/pace/retry-after.js";
import { hookKey } from "../../intake/hooks/deliveries.js";
import { type ShownRun, shownRun, shownTables } from "../../intake/runs/shown-run.js";
import { withStoreQuery } from "../../lake/query/store-query.js";
import type { HookDependencies } from "./call-hooks.js";
import { HookError, runHookCommand } from "./hook-command.js";

const ANSWER_WITHIN_MS = 15_000;

/** Makes one delivery. @throws HookError where the target did not take it; Temporal tries again. */
export async function sendHook(
  { hooks, lake, log }: HookDependencies,
  delivery: HookDelivery,
): Promise<void> {
  const hook = hooks?.hooks.find((one) => hookKey(one) === delivery.hook);
  const { runId, event, schedule } = delivery;
  if (hook === undefined) {
    log.warn({ run_id: runId, event }, "a hook is in nightledger.yaml no more, so it is not called");
    return;
  }
  const run = runId === null ? undefined : await readRun(lake.store, runId);
  if (run === undefined && event !== "late") throw new InputError(`run ${runId} is not in the lake any more`);
  const body = hookBody(delivery, run, hooks?.board);
  const signal = cancellationSignal();
  if (hook.webhook !== undefined) {
    const id = `${event === "late" ? `${schedule}@` : ""}${runId ?? "never"}-${event}`;
    return postHook(hook.webhook, { id, body, secret: hooks?.secret }, signal);
  }
  const env = {
    NIGHTLEDGER_RUN_EVENT: event,
    NIGHTLEDGER_RUN_ID: runId ?? "",
    NIGHTLEDGER_RUN_KIND: run?.kind ?? "",
    NIGHTLEDGER_RUN_OUTCOME: run?.status ?? "",
    NIGHTLEDGER_RUN_SCHEDULE: schedule ?? "",
  };
  const said = (line: string) => log.info({ run_id: runId, event, line }, "output of a hook's command");
  await runHookCommand(hook.command ?? "", { line: body, env, said, signal });
}

function readRun(store: HookDependencies["lake"]["store"], runId: string): Promise<ShownRun | undefined> {
  const tables = shownTables(runId.slice(0, runId.indexOf("-")));
  return withStoreQuery(store, (query) => shownRun(query, runId), { tables });
}

interface HookRequest {
  /** By which a receiver knows a message that it has had. */
  readonly id: string;
  readonly body: object;
  readonly secret: string | undefined;
}

/**
 * Posts a message and judges the status alone: a receiver's body may have no end, so it is not read.
 *
 * @throws HookError when the receiver did not take it; the signal's reason when aborted.
 */
export async function postHook(address: string, request: HookRequest, signal: AbortSignal): Promise<void> {
  const { origin } = new URL(address);
  // Not AbortSignal.timeout: `any` holds it weakly, so that it may never fire.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ANSWER_WITHIN_MS);
  const either = AbortSignal.any([signal, late.signal]);
  const post = { ...signed(request), method: "POST", redirect: "manual", signal: either } as const;
  const response = await fetch(address, post)
    .catch((error: Error) => {
      signal.throwIfAborted();
      // What fetch throws may quote the address, which is a secret.
      const { code } = (error.cause ?? {}) as { code?: unknown };
      const why = typeof code === "string" ? ` (${code})` : "";
      throw new HookError(`the webhook at ${origin} did not answer${why}`);
    })
    .finally(() => clearTimeout(timer));
  await response.body?.cancel().catch(() => undefined);
  if (response.ok) return;
  const message = `the webhook at ${origin} answered ${response.status}`;
  const wait = parseRetryAfter(response.headers.get("retry-after") ?? undefined, Date.now());
  if (wait === undefined) throw new HookError(message);
  throw ApplicationFailure.create({ type: "HookError", message, nextRetryDelay: wait });
}

function signed({ id, body: message, secret }: HookRequest) {
  const body = JSON.stringify(message);
  const now = new Date();
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
  };
  if (secret !== undefined) headers["webhook-signature"] = new Webhook(secret).sign(id, now, body);
  return { body, headers };
}
