import { ApplicationFailure, cancellationSignal } from "@temporalio/activity";
import { Webhook } from "standardwebhooks";
import { SERVICE_RETRY } from "../../domain/backoff.js";
import { InputError } from "../../domain/failures.js";
import { aboutOf, type HookDelivery, hookBody } from "../../domain/hooks/message.js";
import { parseRetryAfter } from "../../domain/service/pace/retry-after.js";
import { detailTables, runDetails } from "../../intake/runs/ended-runs.js";
import { withStoreQuery } from "../../lake/query/store-query.js";
import { type HookDependencies, hookKey } from "./call-hooks.js";
import { HookError, runHookCommand } from "./hook-command.js";

const ANSWER_WITHIN_MS = 15_000;

/** Makes one delivery. @throws HookError where the target did not take it */
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
  const id = runId ?? "";
  const tables = detailTables(id.split("-", 1)[0]);
  const run = await withStoreQuery(lake.store, (query) => runDetails(query, id), { tables });
  if (run === undefined && event !== "late") throw new InputError(`run ${id} is not in the lake any more`);
  const body = hookBody(delivery, run, hooks?.board);
  const signal = cancellationSignal();
  if (hook.webhook !== undefined) {
    const message = { id: `${aboutOf(delivery)}-${event}`, body, secret: hooks?.secret };
    return postHook(hook.webhook, message, signal);
  }
  const env = {
    NIGHTLEDGER_RUN_EVENT: event,
    NIGHTLEDGER_RUN_ID: id,
    NIGHTLEDGER_RUN_KIND: run?.kind ?? "",
    NIGHTLEDGER_RUN_OUTCOME: run?.status ?? "",
    NIGHTLEDGER_RUN_SCHEDULE: schedule ?? "",
  };
  const onLine = (line: string) => log.info({ run_id: runId, event, line }, "output of a hook's command");
  await runHookCommand(hook.command ?? "", { line: body, env, onLine, signal });
}

interface HookRequest {
  /** The same for a repetition. */
  readonly id: string;
  readonly body: object;
  readonly secret: string | undefined;
}

/**
 * Posts a message. It reads no body, which may have no end.
 *
 * @throws HookError when the receiver did not take it; the signal's reason when aborted.
 */
export async function postHook(address: string, request: HookRequest, signal: AbortSignal): Promise<void> {
  const { origin } = new URL(address);
  const { id, secret } = request;
  const body = JSON.stringify(request.body);
  const now = new Date();
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
    ...(secret !== undefined && { "webhook-signature": new Webhook(secret).sign(id, now, body) }),
  };
  // Not AbortSignal.timeout: `any` holds it weakly, so that it may never fire.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ANSWER_WITHIN_MS);
  const either = AbortSignal.any([signal, late.signal]);
  const post = { method: "POST", body, headers, redirect: "manual", signal: either } as const;
  const response = await fetch(address, post)
    .catch(({ cause }: { readonly cause?: { readonly code?: string } }) => {
      signal.throwIfAborted();
      // What fetch throws may quote the address, which is a secret.
      const why = cause?.code === undefined ? "" : ` (${cause.code})`;
      throw new HookError(`the webhook at ${origin} did not answer${why}`);
    })
    .finally(() => clearTimeout(timer));
  await response.body?.cancel().catch(() => undefined);
  if (response.ok) return;
  const message = `the webhook at ${origin} answered ${response.status}`;
  const wait = parseRetryAfter(response.headers.get("retry-after") ?? undefined, Date.now());
  if (wait === undefined) throw new HookError(message);
  const nextRetryDelay = Math.min(wait, SERVICE_RETRY.longest);
  throw ApplicationFailure.create({ type: "HookError", message, nextRetryDelay });
}
