/**
 * A time of the service as epoch milliseconds; NaN where it is none. Without an offset it is UTC, whatever the zone of
 * this machine.
 */
export function instantMs(text: string): number {
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
}
