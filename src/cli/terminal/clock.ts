/** Local time, with seconds within ten minutes: `02:05`. */
export function clockTime(at: Date, now: number): string {
  const parts = [at.getHours(), at.getMinutes()];
  if (Math.abs(at.getTime() - now) < 600_000) parts.push(at.getSeconds());
  return parts.map(two).join(":");
}

/** Local time with its offset: `2026-11-22T02:05:10+01:00`. */
export function timeStamp(at: Date): string {
  const offset = -at.getTimezoneOffset();
  const here = new Date(at.getTime() + offset * 60_000).toISOString().slice(0, 19);
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${here}${offset < 0 ? "-" : "+"}${two(hours)}:${two(minutes)}`;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
