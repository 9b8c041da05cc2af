const listening = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls a listener when a signal is aborted, until the function that this returns is called. Node gets one listener of a
 * signal: it goes through all of them whenever one comes or goes, and hundreds of calls share a signal.
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
    for (const listener of listeners) listener();
  };
  signal.addEventListener("abort", tellAll, { once: true });
  listening.set(signal, listeners);
  return listeners;
}
