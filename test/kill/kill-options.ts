/** What `npm run test:kill` was asked for. */
interface KillOptions {
  /** The first seed; each trial takes the next one. */
  readonly seed: number;
  /** Kills at least. */
  readonly kills: number;
}

const DEFAULT_KILLS = 24;
const LAST_SEED = 1_000_000;

/**
 * Reads `--seed N` and `--kills N` behind the `--` of a command line.
 *
 * @throws Error naming the option that was given wrongly.
 */
export function parseKillOptions(argv: readonly string[], now: number): KillOptions {
  const given = argv.includes("--") ? argv.slice(argv.indexOf("--") + 1).filter((word) => word !== "--") : [];
  let seed = now % LAST_SEED;
  let kills = DEFAULT_KILLS;
  for (let at = 0; at < given.length; at += 2) {
    const [name, value = ""] = given.slice(at, at + 2);
    if (!/^\d{1,9}$/.test(value)) throw new Error(`${name}: a whole number is accepted, as in --seed 7`);
    if (name === "--seed") seed = Number(value);
    else if (name === "--kills") kills = Number(value);
    else throw new Error(`${name}: accepted are --seed N and --kills N`);
  }
  return { seed, kills };
}
