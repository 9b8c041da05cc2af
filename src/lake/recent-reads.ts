/**
 * Makes a reader that keeps what it read last under names whose content never changes. What could not be read is asked for
 * again.
 */
export function recentReads<T>(most: number): (name: string, read: () => Promise<T>) => Promise<T> {
  const all = new Map<string, Promise<T>>();
  return (name, read) => {
    const kept = all.get(name);
    all.delete(name);
    const found = kept ?? read();
    all.set(name, found);
    if (kept === undefined) found.catch(() => all.delete(name));
    const [oldest] = all.keys();
    if (all.size > most && oldest !== undefined) all.delete(oldest);
    return found;
  };
}
