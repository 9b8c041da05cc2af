import type { Sandbox } from "../sandbox.js";

/** The stand-in's methods that another process may call. */
export const METHODS = [
  ...[
    "state",
    "links",
    "addUser",
    "addLink",
    "setLink",
    "removeLink",
    "addAccount",
    "append",
    "refuseCursors",
  ],
  ...["advance", "nightlyChanges", "addFaults", "removeFault", "clearFaults", "faults", "setLatency"],
  ...["addKey", "revokeKey", "requests", "clearRequests", "calls", "waitForRequests"],
  ...["totals", "truthRows", "events", "rosterCsv"],
] as const satisfies readonly (keyof Sandbox)[];

/** The methods of its parts that another process may call. */
export const PART_METHODS = {
  clock: ["now", "text", "advance", "freeze", "thaw"],
  rates: ["set"],
  playbooks: ["declare", "list", "script"],
  onboardings: ["list", "of", "find", "finish", "review"],
  sessions: ["end"],
  vaults: ["value", "write", "contents", "decryptions"],
  tokens: ["create", "expireAll", "counts"],
  businesses: ["add", "list", "find", "setInsights"],
  cip: ["script", "made"],
  investments: ["add", "remove", "change", "fill", "move", "truth"],
  proxies: ["configure", "forwarded"],
  webhooks: [
    ...["register", "unregister", "setSecrets", "emit", "messages"],
    ...["hold", "release", "resend", "settled"],
  ],
} as const satisfies { readonly [P in keyof Sandbox]?: readonly (keyof Sandbox[P])[] };

export type Part = keyof typeof PART_METHODS;

/** Paths of all of them below `/_sandbox/`. */
export const PATHS: readonly string[] = [
  ...METHODS,
  ...Object.entries(PART_METHODS).flatMap(([part, names]) => names.map((name) => `${part}/${name}`)),
];
