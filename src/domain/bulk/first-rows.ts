import type { RequestEnd } from "./halving.js";

/**
 * Sends rows in parts of 1, 1, 2, 4 … rows, and last the parts that were lost on the way: only rows that came back tell
 * whether a lost one would be found. So a first answer that is lost leaves one row in doubt, not all. The parts are the
 * same whatever the answers are: after a crash, each request is made again under its name. Gives what became of each row.
 *
 * @param send throws what `isUnresolved` knows while nothing tells what became of a part
 */
export async function sendFirstRows<Row>(
  rows: readonly Row[],
  send: (part: readonly Row[]) => Promise<readonly RequestEnd[]>,
  isUnresolved: (error: unknown) => boolean,
): Promise<RequestEnd[]> {
  const ends: RequestEnd[][] = [];
  const unresolved: (readonly [at: number, part: readonly Row[]])[] = [];
  for (let from = 0; from < rows.length; from = Math.max(1, 2 * from)) {
    const part = rows.slice(from, Math.max(1, 2 * from));
    try {
      ends.push([...(await send(part))]);
    } catch (error) {
      if (!isUnresolved(error)) throw error;
      unresolved.push([ends.push([]) - 1, part]);
    }
  }
  for (const [at, part] of unresolved) ends[at] = [...(await send(part))];
  return ends.flat();
}
