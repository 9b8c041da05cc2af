import { parseArgs } from "node:util";
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

const LAST_SEED = 1_000_000;

/**
 * Reads the options behind the `--` of a command line.
 *
 * @throws Error naming the option that was given wrongly.
 */
export function parseKillOptions(argv: readonly string[], now: number): KillOptions {
  const words = argv.includes("--") ? argv.slice(argv.indexOf("--") + 1).filter((word) => word !== "--") : [];
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: words,
    options: { seed: text, kills: text, "onboard-kills": text, "bulk-kills": text, store: text },
  });
  const number = (name: Exclude<keyof typeof values, "store">, usual: number) =>
    values[name] === undefined ? usual : wholeNumber(`--${name}`, values[name]);
  const store = STORE_KINDS.find((kind) => kind === (values.store ?? "kept"));
  if (store === undefined) throw new Error(`--store: accepted are ${STORE_KINDS.join(", ")}`);
  return {
    seed: number("seed", now % LAST_SEED),
    kills: number("kills", 24),
    onboardKills: number("onboard-kills", 6),
    bulkKills: number("bulk-kills", 5),
    store,
  };
}

function wholeNumber(name: string, value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new Error(`${name}: a whole number is accepted, as in --seed 7`);
  return Number(value);
}
