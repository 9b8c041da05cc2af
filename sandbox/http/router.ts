import type { IncomingHttpHeaders } from "node:http";
import type { SandboxState } from "../assemble.js";
import type { Fire } from "../faults/fault-store.js";
import type { ClientToken } from "../vault/token-store.js";
import { type Answer, Refusal } from "./answer.js";
import type { RequestBody } from "./body.js";
import type { Query } from "./query.js";

/** A call whose credentials are checked: its parameters and the state it works on. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly headers: IncomingHttpHeaders;
  readonly body: RequestBody;
  /** Of a client operation. */
  readonly token: ClientToken | undefined;
  readonly state: SandboxState;
  readonly fire: Fire;
}

/** Whom a call is about, where its path does not say. */
export interface Subject {
  readonly user?: string | undefined;
  readonly business?: string | undefined;
}

/** One call of the service. */
export interface Operation {
  readonly name: string;
  readonly method: "GET" | "POST" | "PATCH";
  /** Path with `{name}` for parameters; `{link_id}`, `{fp_id}` and `{fp_bid}` are what faults select by. */
  readonly path: string;
  /** The query parameters it knows, none by default; any other is refused. */
  readonly query?: readonly string[];
  /** What authenticates it; default: the secret key. */
  readonly auth?: "client_token";
  /** `whole`: read before it is handled; `stream`: the operation reads it; default: none is taken. */
  readonly body?: "whole" | "stream";
  handle(call: Call): Answer | Promise<Answer>;
  /** Whom the call is about, out of its body; `undefined` where that can't be read. */
  about?(body: unknown, state: SandboxState): Subject;
  /** The page index within an update or list, for faults that select by it. */
  pageOf?(params: Readonly<Record<string, string>>, query: URLSearchParams, state: SandboxState): number;
}

export interface Route {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds operations by method and path. */
export class Router {
  readonly #operations: readonly { operation: Operation; segments: readonly string[] }[];

  constructor(operations: readonly Operation[]) {
    this.#operations = operations.map((operation) => ({ operation, segments: operation.path.split("/") }));
  }

  /** @throws Refusal 404 for an unknown path, 405 for a known one with another method. */
  find(method: string, path: string): Route {
    const parts = path.split("/");
    let known = false;
    for (const { operation, segments } of this.#operations) {
      const params = match(segments, parts);
      if (params && operation.method === method) return { operation, params };
      known ||= params !== undefined;
    }
    if (known) throw new Refusal(405, "method_not_allowed", `no operation ${method} on this path`);
    throw new Refusal(404, "not_found", "no operation on this path");
  }
}

function match(segments: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (segments.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (let i = 0; i < segments.length; i++) {
    const segment = segments[i]!;
    const part = parts[i]!;
    if (!segment.startsWith("{")) {
      if (segment !== part) return undefined;
      continue;
    }
    try {
      params[segment.slice(1, -1)] = decodeURIComponent(part);
    } catch {
      return undefined;
    }
    if (part === "") return undefined;
  }
  return params;
}
