import type { IncomingMessage, ServerResponse } from "node:http";
import { REFUSALS, type Refusal } from "../domain/webhooks/rejection.js";
import { type EventIntakeParts, type SessionIntakeParts, takeEvent, takeSession } from "./intake.js";
import { inTime } from "./notices.js";
import { RequestBodies } from "./request-bodies.js";

export const RECEIVER_PATHS = { webhooks: "/webhooks", validate: "/validate", health: "/healthz" } as const;

/** As many bodies again may be arriving: this bounds memory. */
export interface RouteLimits {
  readonly bodyBytes: number;
  readonly webhooksAtOnce: number;
  readonly sessionsAtOnce: number;
}

type Route = (request: IncomingMessage) => Promise<Answer>;

const HEALTH_WITHIN_MS = 2_000;

/** Answers requests and counts refusals. @throws Error where something that a route needs can't be reached */
export function createRoutes(parts: EventIntakeParts & SessionIntakeParts, limits: RouteLimits): Route {
  const { client, counts } = parts;
  const { bodyBytes, webhooksAtOnce, sessionsAtOnce } = limits;
  const bodies = new RequestBodies({
    bodyBytes,
    unfinishedBytes: bodyBytes * (webhooksAtOnce + sessionsAtOnce),
  });
  const refuse = (refusal: Refusal): Answer => {
    counts.countRefused(refusal);
    return refusalAnswer(refusal);
  };

  /** A route that handles `most` bodies at once; one that is still arriving takes no place. */
  function intake(
    most: number,
    take: (request: IncomingMessage, body: string) => Promise<Answer | Refusal>,
  ): Route {
    let inside = 0;
    return async (request) => {
      const body = await bodies.read(request);
      if (typeof body === "string") return refuse(body);
      if (inside >= most) return refuse("busy");
      inside += 1;
      try {
        const taken = await take(request, body.toString("utf8"));
        return typeof taken === "string" ? refuse(taken) : taken;
      } finally {
        inside -= 1;
      }
    };
  }

  async function health(): Promise<Answer> {
    const answer = (status: number, word: string) => ({ status, body: { status: word, ...counts.counts } });
    return inTime(client, () => client.workflowService.getSystemInfo({}), HEALTH_WITHIN_MS).then(
      () => answer(200, "ok"),
      () => answer(503, "unavailable"),
    );
  }

  const routes: Readonly<Record<string, Readonly<Record<string, Route>>>> = {
    [RECEIVER_PATHS.webhooks]: {
      POST: intake(
        webhooksAtOnce,
        async ({ headers }, body) => (await takeEvent(parts, headers, body)) ?? { status: 204 },
      ),
    },
    [RECEIVER_PATHS.validate]: {
      POST: intake(sessionsAtOnce, async (_, body) => {
        const taken = await takeSession(parts, body);
        return typeof taken === "string" ? taken : { status: 200, body: taken };
      }),
    },
    [RECEIVER_PATHS.health]: { GET: health },
  };

  return async (request) => {
    const methods = routes[(request.url ?? "").split("?", 1)[0] ?? ""];
    if (methods === undefined) return refuse("path");
    const route = methods[request.method ?? ""];
    if (route !== undefined) return route(request);
    return { ...refuse("method"), headers: { allow: Object.keys(methods).join(", ") } };
  };
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Quotes nothing of the request. */
export function refusalAnswer(refusal: Refusal): Answer {
  const status = REFUSALS[refusal];
  const answer: Answer = { status, body: { error: refusal } };
  return status === 503 ? { ...answer, headers: { "retry-after": "1" } } : answer;
}

/** Cut at once after an answer, a connection might lose it. */
const TRAVEL_MS = 1_000;

/** Writes an answer. One to an incomplete request, whose rest is not read, is the last on its connection. */
export function writeAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, headers }: Answer,
  isLast: boolean,
): void {
  if (response.destroyed) return;
  const isWhole = request.complete;
  const text = body === undefined ? "" : JSON.stringify(body);
  response.writeHead(status, {
    ...(text !== "" && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
    ...((isLast || !isWhole) && { connection: "close" }),
    ...headers,
  });
  if (isWhole) response.end(text);
  else cutAfter(request, response, text);
}

// Once the answer has ended, Node would read the rest of the request.
function cutAfter(request: IncomingMessage, response: ServerResponse, text: string): void {
  request.pause();
  response.write(text);
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), TRAVEL_MS);
  socket.once("close", () => clearTimeout(timer));
}
