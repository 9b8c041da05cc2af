import type { Sandbox } from "../sandbox.js";

/** Methods of the stand-in's parts that may be called from another process, by part. */
export const REMOTE_METHODS = {
  clock: ["now", "text", "advance", "freeze", "thaw"],
  rates: ["set"],
  playbooks: ["declare", "list", "script"],
  onboardings: ["list", "of", "find", "finish", "review"],
  sessions: ["end"],
  vaults: ["value", "write", "contents", "decryptions"],
  tokens: ["create", "expireAll", "counts"],
  businesses: ["add", "list", "find", "setInsights"],
  cip: ["script", "made"],
  investments: ["add", "fill", "move", "truth"],
  proxies: ["configure", "forwarded"],
  webhooks: [
    "register",
    "unregister",
    "setSecrets",
    "emit",
    "messages",
    "hold",
    "release",
    "resend",
    "settled",
  ],
} as const satisfies { readonly [P in keyof Sandbox]?: readonly (keyof Sandbox[P])[] };

export type RemotePart = keyof typeof REMOTE_METHODS;

/** A part's remote methods, each with its result promised. */
export type Remote<P extends RemotePart> = {
  readonly [M in (typeof REMOTE_METHODS)[P][number] & keyof Sandbox[P]]: Sandbox[P][M] extends (
    ...args: infer A
  ) => infer R
    ? (...args: A) => Promise<Awaited<R>>
    : never;
};

/** The method behind `POST /_sandbox/<part>/<method>`; its arguments are the body's list. */
export function partMethod(path: string): ((sandbox: Sandbox, args: unknown[]) => unknown) | undefined {
  const [part = "", method = "", rest] = path.split("/");
  const methods: readonly string[] | undefined = Object.hasOwn(REMOTE_METHODS, part)
    ? REMOTE_METHODS[part as RemotePart]
    : undefined;
  if (rest !== undefined || !methods?.includes(method)) return undefined;
  return (sandbox, args) => {
    const target = sandbox[part as RemotePart] as unknown as Record<string, (...args: unknown[]) => unknown>;
    return target[method]!(...args);
  };
}
