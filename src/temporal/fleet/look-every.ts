/** Looks again and again, until the function that it gives is called; a look that fails is made again in its turn. */
export function lookEvery(ms: number, look: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const later = () => {
    if (isOver) return;
    timer = setTimeout(async () => {
      await look().catch(() => undefined);
      later();
    }, ms);
    timer.unref();
  };
  later();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
