/**
 * Sends rows in parts of 1, 1, 2, 4 …, and those that were lost on the way once more at the end: only rows that came back
 * tell whether a lost one would be found, so a first answer that is lost leaves one row in doubt, not all. The parts do not
 * depend on answers: after a crash each is sent again under its name.
 *
 * @param send throws what `isUnresolved` knows while nothing tells what became of a part
 */
export async function sendFirstRows<Row, End>(
  rows: readonly Row[],
  send: (part: readonly Row[]) => Promise<End[]>,
  isUnresolved: (error: unknown) => boolean,
): Promise<End[]> {
  const parts: (End[] | (() => Promise<End[]>))[] = [];
  for (let from = 0, to = 1; from < rows.length; from = to, to *= 2) {
    const sendPart = () => send(rows.slice(from, to));
    const part = await sendPart().catch((error: unknown) => {
      if (isUnresolved(error)) return sendPart;
      throw error;
    });
    parts.push(part);
  }
  const ends: End[] = [];
  for (const part of parts) ends.push(...(typeof part === "function" ? await part() : part));
  return ends;
}
