/** Whether SQL gave up for want of memory, so that less at once may succeed (DESIGN.md, load). */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && /out of memory/i.test(error.message);
}
