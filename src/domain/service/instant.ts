/** A time of the service as epoch milliseconds, NaN for another text; UTC where it has no offset. */
export function instantMs(text: string): number {
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
}
