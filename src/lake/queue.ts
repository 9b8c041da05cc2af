const queues = new Map<string, Promise<unknown>>();

/** Runs `work` after all earlier work in the same queue of this process has ended. */
export async function inQueue<T>(queue: string, work: () => Promise<T>): Promise<T> {
  const result = (queues.get(queue) ?? Promise.resolve()).then(work);
  const end = result.catch(() => undefined);
  queues.set(queue, end);
  try {
    return await result;
  } finally {
    if (queues.get(queue) === end) queues.delete(queue);
  }
}
