import type { IncomingMessage, ServerResponse } from "node:http";
import { InputError } from "../../src/domain/failures.js";
import { errorBody } from "../http/answer.js";
import type { ControlHandler } from "../http/server.js";
import type { Sandbox } from "../sandbox.js";
import { checkedArguments } from "./arguments.js";
import { METHODS_BY_PATH } from "./methods.js";

/** Answers `/_sandbox/<method>` and `/_sandbox/<part>/<method>`: a call of that method, without a key. */
export function controlHandler(sandboxOf: () => Sandbox): ControlHandler {
  return async (request, response, path) => {
    const name = path.slice("/_sandbox/".length);
    const shapes = METHODS_BY_PATH.get(name);
    if (!shapes) {
      const message = `no such method; accepted are: ${[...METHODS_BY_PATH.keys()].join(", ")}`;
      return send(response, 404, errorBody("not_found", message));
    }
    try {
      const given = checkedArguments(name, shapes, await argumentsOf(request));
      await answer(response, await call(sandboxOf(), name, given));
    } catch (error) {
      if (response.headersSent) response.destroy();
      else send(response, 400, errorBody("control", (error as Error).message));
    }
  };
}

/** The body is a list of arguments, or the only one. */
async function argumentsOf(request: IncomingMessage): Promise<unknown[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  if (text === "") return [];
  const value = json(text);
  return Array.isArray(value) ? value : [value];
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = (error as Error).message;
    throw new InputError(`the body is not JSON (${reason}); give the argument, or a list of the arguments`);
  }
}

function call(sandbox: Sandbox, path: string, args: readonly unknown[]): unknown {
  const [name = "", part] = path.split("/").reverse();
  const target = (part === undefined ? sandbox : sandbox[part as keyof Sandbox]) as object;
  return (target as Record<string, (...args: readonly unknown[]) => unknown>)[name]!(...args);
}

async function answer(response: ServerResponse, result: unknown): Promise<void> {
  if (result === undefined) response.writeHead(204).end();
  else if (typeof result === "string") send(response, 200, Buffer.from(result), "text/plain; charset=utf-8");
  else if (isGenerator(result)) await sendLines(response, result);
  else send(response, 200, Buffer.from(JSON.stringify(result)));
}

/** Sends lines in portions and waits for the reader: a truth of millions of rows must not pile up in memory. */
async function sendLines(response: ServerResponse, values: Generator<unknown>): Promise<void> {
  let portion = "";
  for (const value of values) {
    if (!response.headersSent) response.writeHead(200, { "content-type": "application/x-ndjson" });
    portion += `${JSON.stringify(value)}\n`;
    if (portion.length < 65_536) continue;
    if (!response.write(portion)) {
      await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
    }
    if (response.destroyed) return;
    portion = "";
  }
  response.end(portion);
}

function send(response: ServerResponse, status: number, body: Buffer, type = "application/json"): void {
  response.writeHead(status, { "content-type": type, "content-length": body.length });
  response.end(body);
}

function isGenerator(value: unknown): value is Generator<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value && "next" in value;
}
