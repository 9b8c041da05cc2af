import { STORE_KINDS, type StoreKind } from "../helpers/kill/killed-store.js";

/** What `npm run test:kill` was asked for. */
interface KillOptions {
  /** The first seed; each trial takes the next one. */
  readonly seed: number;
  /** Kills of syncs, at least. */
  readonly kills: number;
  /** Kills of onboardings. */
  readonly onboardKills: number;
  /** Kills of each kind of bulk job. */
  readonly bulkKills: number;
  /** Whether a killed process also loses what it had not synced to disk. */
  readonly store: StoreKind;
}

const DEFAULTS = { kills: 24, onboardKills: 6, bulkKills: 5, store: "kept" } as const;
const LAST_SEED = 1_000_000;
const ACCEPTED =
  "accepted are --seed N, --kills N, --onboard-kills N, --bulk-kills N and --store kept, forgetful or bucket";

/**
 * Reads the options behind the `--` of a command line.
 *
 * @throws Error naming the option that was given wrongly.
 */
export function parseKillOptions(argv: readonly string[], now: number): KillOptions {
  const given = argv.includes("--") ? argv.slice(argv.indexOf("--") + 1).filter((word) => word !== "--") : [];
  const options: { -readonly [K in keyof KillOptions]: KillOptions[K] } = {
    ...DEFAULTS,
    seed: now % LAST_SEED,
  };
  for (let at = 0; at < given.length; at += 2) {
    const [name, value = ""] = given.slice(at, at + 2);
    if (name === "--seed") options.seed = wholeNumber(name, value);
    else if (name === "--kills") options.kills = wholeNumber(name, value);
    else if (name === "--onboard-kills") options.onboardKills = wholeNumber(name, value);
    else if (name === "--bulk-kills") options.bulkKills = wholeNumber(name, value);
    else {
      const store = STORE_KINDS.find((kind) => name === "--store" && kind === value);
      if (store === undefined) throw new Error(`${name} ${value}: ${ACCEPTED}`);
      options.store = store;
    }
  }
  return options;
}

function wholeNumber(name: string, value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new Error(`${name}: a whole number is accepted, as in --seed 7`);
  return Number(value);
}
