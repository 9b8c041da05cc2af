const listening = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls a listener when a signal is aborted, unless what this gives was called before. A signal has one listener of
 * Node's for all of ours: Node goes through its whole list whenever one comes or goes, and hundreds of calls share a
 * signal.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const listeners = listening.get(signal) ?? listen(signal);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

function listen(signal: AbortSignal): Set<() => void> {
  const listeners = new Set<() => void>();
  const tellAll = () => {
    // A listener that another one took back meanwhile is gone from the set, and not told.
    for (const listener of listeners) listener();
  };
  signal.addEventListener("abort", tellAll, { once: true });
  listening.set(signal, listeners);
  return listeners;
}
