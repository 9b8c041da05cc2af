import { durationText } from "../duration.js";
import { InputError } from "../failures.js";

export type ScheduleTiming = {
  /** IANA name, for times of day and cron expressions. */
  readonly timezone: string;
  /** The longest random delay of a firing. */
  readonly jitterMs: number;
} & (
  | { readonly kind: "at"; readonly times: readonly TimeOfDay[] }
  | { readonly kind: "cron"; readonly cron: string }
  | { readonly kind: "every"; readonly everyMs: number }
);

export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

/** Exactly one of `at`, `cron` and `every`. */
export interface TimingFlags {
  readonly at?: readonly TimeOfDay[];
  readonly cron?: string;
  /** Milliseconds. */
  readonly every?: number;
  readonly timezone?: string;
  /** Milliseconds. */
  readonly jitter?: number;
}

const CRON = /^(@(yearly|monthly|weekly|daily|hourly)|[\d*/,?A-Za-z-]+( +[\d*/,?A-Za-z-]+){4})$/;

/** `03:15` or `03:15,14:15`. */
export function parseTimesOfDay(text: string): TimeOfDay[] | undefined {
  const times = text.split(",").map((one) => /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(one.trim()));
  if (times.some((time) => time === null)) return undefined;
  return times.map((time) => ({ hour: Number(time?.[1]), minute: Number(time?.[2]) }));
}

/** @throws InputError naming the flag that is wrong or missing */
export function timingOf(flags: TimingFlags): ScheduleTiming {
  const { at, cron, every, timezone = "UTC", jitter = 0 } = flags;
  const given = [at, cron, every].filter((one) => one !== undefined).length;
  if (given !== 1) {
    throw new InputError(
      "a schedule fires by one of --at 03:15, --cron '15 3 * * *' and --every 6h. Nothing was changed. Give one of them.",
    );
  }
  if (!isTimezone(timezone)) {
    throw new InputError(
      `--timezone ${timezone} is not the name of a time zone. Nothing was changed. Give one such as Europe/Prague or UTC.`,
    );
  }
  const common = { timezone, jitterMs: jitter };
  if (at !== undefined) return { ...common, kind: "at", times: at };
  if (cron !== undefined) {
    if (!CRON.test(cron.trim())) {
      throw new InputError(
        `--cron ${JSON.stringify(cron)} is not a cron expression of five fields. Nothing was changed. Give minute, hour, day, month and weekday, as in '15 3 * * 1-5'.`,
      );
    }
    return { ...common, kind: "cron", cron: cron.trim() };
  }
  return { ...common, kind: "every", everyMs: every as number };
}

export function timingWords(timing: ScheduleTiming): string {
  const { timezone, jitterMs } = timing;
  const jitter = jitterMs === 0 ? "" : `, up to ${durationText(jitterMs)} later`;
  switch (timing.kind) {
    case "every":
      return `every ${durationText(timing.everyMs)}${jitter}`;
    case "cron":
      return `cron ${timing.cron} ${timezone}${jitter}`;
    case "at": {
      const times = timing.times.map(({ hour, minute }) => `${two(hour)}:${two(minute)}`);
      return `at ${times.join(", ")} ${timezone}${jitter}`;
    }
  }
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
