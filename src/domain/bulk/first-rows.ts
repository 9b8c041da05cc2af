import type { RequestEnd } from "./halving.js";

/**
 * Sends rows in parts of 1, 1, 2, 4 …, and lost parts again at the end: only rows that came back tell whether a lost one
 * would be found. The parts do not depend on answers, so they have the same names after a crash.
 * @param isUnresolved knows what `send` throws for an unresolved part
 */
export async function sendFirstRows<Row>(
  rows: readonly Row[],
  send: (part: readonly Row[]) => Promise<RequestEnd[]>,
  isUnresolved: (error: unknown) => boolean,
): Promise<RequestEnd[]> {
  const parts: (RequestEnd[] | (() => Promise<RequestEnd[]>))[] = [];
  for (let from = 0, to = 1; from < rows.length; from = to, to *= 2) {
    const sendPart = () => send(rows.slice(from, to));
    const ends = await sendPart().catch((error: unknown) => {
      if (!isUnresolved(error)) throw error;
    });
    parts.push(ends?.every(({ status }) => status !== "unknown") ? ends : sendPart);
  }
  for (const [at, part] of parts.entries()) if (typeof part === "function") parts[at] = await part();
  return (parts as RequestEnd[][]).flat();
}
