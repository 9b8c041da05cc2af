/** An instant to the second, such as `2026-11-21T02:15:00Z`. */
export function instantText(at: number | Date): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}
