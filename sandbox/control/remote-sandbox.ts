import type { Sandbox } from "../sandbox.js";

/** The stand-in's methods that another process may call. */
const METHODS = [
  ...["state", "links", "addUser", "addLink", "setLink", "removeLink", "addAccount", "append"],
  ...["setAccount", "unlist", "listOnly"],
  ...["refuseCursors", "advance", "nightlyChanges", "addFaults", "removeFault", "clearFaults", "faults"],
  ...["setLatency", "addKey", "revokeKey", "requests", "clearRequests", "calls", "waitForRequests"],
  ...["totals", "truthRows", "events", "rosterCsv"],
] as const satisfies readonly (keyof Sandbox)[];

/** The methods of its parts that another process may call. */
const PART_METHODS = {
  clock: ["now", "text", "advance", "freeze", "thaw"],
  rates: ["set"],
  playbooks: ["declare", "list", "script"],
  onboardings: ["list", "of", "find", "finish", "review"],
  sessions: ["end"],
  vaults: ["value", "write", "contents", "decryptions"],
  tokens: ["create", "expireAll", "grants", "counts"],
  businesses: ["add", "list", "find", "setInsights"],
  cip: ["script", "made"],
  investments: ["add", "remove", "change", "fill", "move", "truth"],
  proxies: ["configure", "forwarded"],
  webhooks: [
    ...["register", "unregister", "setSecrets", "emit", "messages"],
    ...["hold", "release", "resend", "settled"],
  ],
} as const satisfies { readonly [P in keyof Sandbox]?: readonly (keyof Sandbox[P])[] };

type Part = keyof typeof PART_METHODS;

/** Paths of all of them below `/_sandbox/`. */
export const PATHS: readonly string[] = [
  ...METHODS,
  ...Object.entries(PART_METHODS).flatMap(([part, names]) => names.map((name) => `${part}/${name}`)),
];

type Call<F> = F extends (...args: infer A) => infer R
  ? (...args: A) => R extends Generator<infer V> ? AsyncGenerator<V> : Promise<Awaited<R>>
  : never;

/** A stand-in in another process: its methods and those of its parts, each with its result promised. */
export type RemoteSandbox = { readonly [M in (typeof METHODS)[number]]: Call<Sandbox[M]> } & {
  readonly [P in Part]: {
    readonly [M in (typeof PART_METHODS)[P][number] & keyof Sandbox[P]]: Call<Sandbox[P][M]>;
  };
};

const STREAMED: readonly string[] = ["truthRows", "events"];

/** Controls the stand-in at an address, over `/_sandbox/…`. */
export function remoteSandbox(url: string): RemoteSandbox {
  const methodsOf = (names: readonly string[], prefix = "") =>
    Object.fromEntries(
      names.map((name) => {
        const ask = STREAMED.includes(name) ? askLines : askValue;
        return [name, (...args: unknown[]) => ask(new URL(`/_sandbox/${prefix}${name}`, url), args)];
      }),
    );
  const parts = Object.entries(PART_METHODS).map(([part, names]) => [part, methodsOf(names, `${part}/`)]);
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
  throw new Error(`stand-in: ${url.pathname} answered ${response.status}: ${await response.text()}`);
}
