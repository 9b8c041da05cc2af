import { InputError } from "../../src/domain/failures.js";
import { isJsonObject, jsonObjectOf } from "../../src/domain/json/value.js";
import type { Sandbox } from "../sandbox.js";
import { METHODS, PART_METHODS } from "./methods.js";

type Part = keyof typeof PART_METHODS;

type Call<F> = F extends (...args: infer A) => infer R
  ? (...args: A) => R extends Generator<infer V> ? AsyncGenerator<V> : Promise<Awaited<R>>
  : never;

/** A stand-in in another process: its methods and those of its parts, each with its result promised. */
export type RemoteSandbox = { readonly [M in keyof typeof METHODS]: Call<Sandbox[M]> } & {
  readonly [P in Part]: {
    readonly [M in keyof (typeof PART_METHODS)[P] & keyof Sandbox[P]]: Call<Sandbox[P][M]>;
  };
};

const STREAMED: readonly string[] = ["truthRows", "events"];

/** Controls the stand-in at an address, over `/_sandbox/…`. */
export function remoteSandbox(url: string): RemoteSandbox {
  const methodsOf = (methods: object, prefix = "") =>
    Object.fromEntries(
      Object.keys(methods).map((name) => {
        const ask = STREAMED.includes(name) ? askLines : askValue;
        return [name, (...args: unknown[]) => ask(new URL(`/_sandbox/${prefix}${name}`, url), args)];
      }),
    );
  const parts = Object.entries(PART_METHODS).map(([part, methods]) => [part, methodsOf(methods, `${part}/`)]);
  return { ...methodsOf(METHODS), ...Object.fromEntries(parts) } as RemoteSandbox;
}

async function askValue(url: URL, args: readonly unknown[]): Promise<unknown> {
  const response = await ask(url, args);
  if (response.status === 204) return undefined;
  return response.headers.get("content-type") === "application/json" ? response.json() : response.text();
}

async function* askLines(url: URL, args: readonly unknown[]): AsyncGenerator<unknown> {
  const { body } = await ask(url, args);
  // Not readline: it also splits at U+2028, which JSON texts may hold.
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body ?? []) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}

async function ask(url: URL, args: readonly unknown[]): Promise<Response> {
  // JSON would make null of an argument that is left out.
  const given = args.slice(0, args.findLastIndex((argument) => argument !== undefined) + 1);
  const response = await fetch(url, { method: "POST", body: JSON.stringify(given) });
  if (response.ok) return response;
  const text = await response.text();
  const refused = response.status === 400 ? jsonObjectOf(text)?.error : undefined;
  if (isJsonObject(refused)) throw new InputError(String(refused.message));
  throw new Error(`stand-in: ${url.pathname} answered ${response.status}: ${text}`);
}
