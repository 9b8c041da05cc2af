/** What the service said of some rows in one request: null where it took them, else why it refused them. */
type Send<Row> = (rows: readonly Row[]) => Promise<string | null>;

/**
 * Sends rows in one request; where the service refuses them, finds the rows that are at fault by halves and sends the
 * others. Each row at fault costs at most log₂ of the rows, and one request more for the rest.
 *
 * @returns why each row was refused, by its place; null for one that was taken
 */
export async function sendByHalves<Row>(rows: readonly Row[], send: Send<Row>): Promise<(string | null)[]> {
  const refused: (string | null)[] = rows.map(() => null);
  let open = rows.map((_, index) => index);
  const ask = (some: readonly number[]) => send(some.map((index) => rows[index] as Row));
  while (open.length > 0) {
    let reason = await ask(open);
    if (reason === null) break;
    // One of these is at fault; what is taken on the way to it is done.
    let suspects = open;
    const taken = new Set<number>();
    while (suspects.length > 1) {
      const half = suspects.slice(0, suspects.length >> 1);
      const answer = await ask(half);
      if (answer === null) for (const index of half) taken.add(index);
      else reason = answer;
      suspects = answer === null ? suspects.slice(half.length) : half;
    }
    const [fault] = suspects;
    if (fault !== undefined) refused[fault] = reason;
    open = open.filter((index) => index !== fault && !taken.has(index));
  }
  return refused;
}
