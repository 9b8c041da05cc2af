const running = new Map<string, Promise<unknown>>();

/** Runs `work` after all work of this process that took a turn under the same name before, failed or not. */
export async function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
  const turn = (running.get(name) ?? Promise.resolve()).then(work);
  const settled = turn.catch(() => undefined);
  running.set(name, settled);
  try {
    return await turn;
  } finally {
    if (running.get(name) === settled) running.delete(name);
  }
}
