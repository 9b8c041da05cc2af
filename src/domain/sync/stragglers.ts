/** What a group tells of its waiting. */
interface GroupWait {
  /** Epoch milliseconds until which the group has nothing to do but wait; null while it works. */
  readonly waitsUntil: number | null;
  /** Rows of the group that are committed. */
  readonly rowsCommitted: number;
}

/**
 * Whether the run does nothing but wait for links that are tried again, and has committed rows that `transactions`
 * does not have yet. Pure.
 *
 * @param broughtUp rows that were committed when `transactions` was last brought up
 * @param now epoch milliseconds
 */
export function isWorthBringingUp(
  groups: readonly GroupWait[],
  committed: number,
  broughtUp: number,
  now: number,
): boolean {
  if (groups.length === 0 || committed <= broughtUp) return false;
  return groups.every(({ waitsUntil }) => waitsUntil !== null && waitsUntil > now);
}
