import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { SandboxState } from "../assemble.js";
import type { RecordedRequest } from "../calls.js";
import type { EffectOf } from "../faults/fault.js";
import type { Fire } from "../faults/fault-store.js";
import { send, statusAnswer, write } from "../faults/transport.js";
import type { ClientToken } from "../vault/token-store.js";
import { Refusal, refuse } from "./answer.js";
import type { RequestBody } from "./body.js";
import { Query } from "./query.js";
import type { Operation, Route } from "./router.js";

/** A request that came in, not checked yet. */
interface IncomingRequest {
  readonly state: SandboxState;
  readonly route: Route | Refusal;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly record: RecordedRequest;
  readonly query: URLSearchParams;
  readonly queryText: string;
  readonly body: RequestBody;
}

/** Runs a request through credentials, rate limit, body, faults and its operation. @throws Refusal */
export async function handleCall(incoming: IncomingRequest): Promise<void> {
  const { state, route, record, query } = incoming;
  const token = authenticate(incoming);
  if (route instanceof Refusal) throw route;
  const { operation, params } = route;
  if (token) nameSubject(state, record, token.entity_id);
  if (operation.body === "whole") await readBody(incoming, operation);
  else if (operation.body === undefined) refuseBody(incoming.request);
  if (state.service.behaves.has("limits")) state.windows.check(record);
  const page = operation.pageOf?.(params, query, state) ?? 0;
  const fire = firing(state, record, page);
  if (token && fire("token_expired")) throw new Refusal(401, "unauthorized", "this client token has expired");
  return answer(incoming, route, token, fire);
}

/** Checks credentials and rate. An unknown path needs a key too: without one, nobody learns which paths exist. */
function authenticate({ state, route, request }: IncomingRequest): ClientToken | undefined {
  const { headers } = request;
  if (route instanceof Refusal || route.operation.auth === undefined) {
    state.rates.check(state.keys.check(headers.authorization));
    return undefined;
  }
  const token = state.tokens.check(headers["x-fp-authorization"]);
  state.rates.check(token.token);
  // docs/reference/service.md, "Authentication": no secret key goes with a client token. One that is sent all the same
  // has leaked from the server it belongs on.
  if (headers.authorization !== undefined) refuse("a client operation takes no secret key");
  return token;
}

async function readBody({ body, state, record }: IncomingRequest, { about }: Operation): Promise<void> {
  await body.read();
  if (!about) return;
  let subject: ReturnType<typeof about>;
  try {
    subject = about(body.json(), state);
  } catch {
    // The operation says what is wrong with it.
    return;
  }
  record.user ??= subject.user;
  record.business ??= subject.business;
}

function nameSubject(state: SandboxState, record: RecordedRequest, entityId: string): void {
  if (state.businesses.has(entityId)) record.business = entityId;
  else record.user = entityId;
}

function refuseBody({ headers }: IncomingMessage): void {
  if (Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined) {
    refuse("this operation takes no body");
  }
}

/** Fires faults for one request and notes in its record which one did. */
function firing(state: SandboxState, record: RecordedRequest, page: number): Fire {
  const { operation = "unknown", link, user, business, cursor } = record;
  const target = { operation, link, user, business, page, cursor: cursor !== undefined };
  return (kind, fits) => {
    const fault = state.faults.fire(kind, target, fits);
    if (fault) record.fault = kind;
    return fault;
  };
}

/** Runs one routed call through latency, faults, strict checks and its operation. */
async function answer(
  { state, response, request: { headers }, record, queryText, body }: IncomingRequest,
  { operation, params }: Route,
  token: ClientToken | undefined,
  fire: Fire,
): Promise<void> {
  const wait = state.service.latencyMs + (fire("latency")?.ms ?? 0);
  if (wait > 0) await delay(wait);
  if (state.holds.some) await state.holds.pass(record, "before");
  if (response.destroyed) return;
  const before = lost(fire, false);
  if (before) return lose(response, before, state.clock.now());
  const query = new Query(queryText, operation.query ?? []);
  const handled = operation.handle({ params, query, headers, body, token, state, fire });
  // Most reads answer synchronously; awaiting them would cost a turn of the event loop.
  const answered = handled instanceof Promise ? await handled : handled;
  if (state.holds.some) await state.holds.pass(record, "after");
  const after = lost(fire, true);
  return after ? lose(response, after, state.clock.now()) : send(response, answered, fire);
}

type LostAnswer = EffectOf<"hang"> | EffectOf<"reset"> | EffectOf<"status">;

/** The fault that replaces the answer, before or after the call took effect. */
function lost(fire: Fire, afterEffect: boolean): LostAnswer | undefined {
  const due = (fault: { afterEffect?: boolean }) => (fault.afterEffect ?? false) === afterEffect;
  return (
    fire("hang", due) ??
    fire("reset", (fault) => fault.afterBytes === undefined && due(fault)) ??
    fire("status", due)
  );
}

function lose(response: ServerResponse, loss: LostAnswer, now: number): void {
  if (loss.kind === "reset") response.socket?.resetAndDestroy();
  if (loss.kind === "status") write(response, statusAnswer(loss, now));
}
