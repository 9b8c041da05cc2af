import { readFile } from "node:fs/promises";

/** When an activity ran, in seconds since 1970. */
interface Interval {
  readonly type: string;
  readonly from: number;
  readonly to: number;
}

/** What the activities of one run took; every figure in seconds. */
export interface ActivityTimes {
  /** From the first activity's start to the last one's end. */
  readonly total: number;
  /** Time in which at least one activity of the type ran. */
  readonly busy: Readonly<Record<string, number>>;
  readonly count: Readonly<Record<string, number>>;
  /** Time in which calls could be sent: at least one activity ran that reads from the service. */
  readonly calling: number;
  /** From the first such activity's start to the last one's end. */
  readonly callingSpan: number;
}

const CALLING = new Set(["discover", "extract", "readSlice"]);

/** Reads what each activity took from a log at debug level, as the SDK writes it when one has completed. */
export async function activityTimes(log: string): Promise<ActivityTimes> {
  const intervals = (await readFile(log, "utf8")).split("\n").flatMap(intervalOf);
  const busy: Record<string, number> = {};
  const count: Record<string, number> = {};
  for (const type of new Set(intervals.map((interval) => interval.type))) {
    const ofType = intervals.filter((interval) => interval.type === type);
    busy[type] = covered(ofType);
    count[type] = ofType.length;
  }
  const calling = intervals.filter(({ type }) => CALLING.has(type));
  return { total: span(intervals), busy, count, calling: covered(calling), callingSpan: span(calling) };
}

function intervalOf(line: string): Interval[] {
  if (!line.includes('"Activity completed"')) return [];
  const { time, durationMs, activityType: type } = JSON.parse(line) as Record<string, unknown>;
  const to = Date.parse(String(time)) / 1000;
  return [{ type: String(type), from: to - Number(durationMs) / 1000, to }];
}

function span(intervals: readonly Interval[]): number {
  if (intervals.length === 0) return 0;
  const from = intervals.reduce(
    (least, interval) => Math.min(least, interval.from),
    Number.POSITIVE_INFINITY,
  );
  return intervals.reduce((most, interval) => Math.max(most, interval.to), 0) - from;
}

/** Length of the union: what overlaps counts once. */
function covered(intervals: readonly Interval[]): number {
  let length = 0;
  let end = 0;
  for (const { from, to } of [...intervals].sort((a, b) => a.from - b.from)) {
    if (to <= end) continue;
    length += to - Math.max(from, end);
    end = to;
  }
  return length;
}
