import { parse } from "yaml";
import { z } from "zod";
import { readText } from "./config-values.js";
import { parseDuration } from "./domain/duration.js";
import { InputError } from "./domain/failures.js";
import { HOOK_EVENTS, type HookSettings, isBoardAddress, isWebhookAddress } from "./domain/hook-settings.js";
import { CONTRACT_WORDS, type ServiceWords } from "./domain/service/service-words.js";
import { PENDING_SETTINGS, type PendingSetting } from "./domain/tables/pending-rule.js";
import type { RetentionRules } from "./domain/tables/retention.js";

const BOARD = "an http: or https: address without a user, a query or a fragment";
const ADDRESS = "an https: address without a user; http: only to localhost";
const DURATION = "a number and a unit, such as 14d, 36h, 90m or 30s";
const duration = z
  .string({ error: DURATION })
  .transform(parseDuration)
  .refine((ms) => ms !== undefined, { error: DURATION });
const INSTITUTION = { error: "a name of up to 80 characters, in one line" };
const institution = z
  .string(INSTITUTION)
  .trim()
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,80}$/u, INSTITUTION);
const NAMED = { error: "settings by their names" };

const EVENTS = { error: `a list of ${HOOK_EVENTS.join(", ")}` };
const JOBS = {
  error:
    "a list of kinds of runs, schedules or both, such as sync, nightly or sync nightly; leave it out for all",
};
const COMMAND = { error: "a shell command" };

const HOOK = {
  on: z.array(z.enum(HOOK_EVENTS, EVENTS), EVENTS).min(1, EVENTS),
  jobs: z
    .array(z.string(JOBS).regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*( [A-Za-z0-9][A-Za-z0-9_.-]*){0,3}$/, JOBS), JOBS)
    .min(1, JOBS)
    .optional(),
  webhook: z.string({ error: ADDRESS }).refine(isWebhookAddress, { error: ADDRESS }).optional(),
  command: z.string(COMMAND).trim().min(1, COMMAND).optional(),
  every: z.boolean({ error: "true or false" }).optional(),
};

const hook = z
  .strictObject(HOOK, NAMED)
  .refine(({ webhook, command }) => (webhook === undefined) !== (command === undefined), {
    error: "either a webhook, with its address, or a command",
  });

const years = (least: number) => {
  const error = `a number of years from ${least}y to 100y, such as 7y`;
  return z
    .string({ error })
    .regex(/^[1-9]\d{0,2}y$/, { error })
    .transform((text) => Number.parseInt(text, 10))
    .refine((count) => count >= least && count <= 100, { error })
    .optional();
};

/** CIP records are kept for at least five years: 31 CFR 1020.220(a)(3)(ii). */
const RETENTION = { "cip-identity": years(5), "cip-results": years(5), transactions: years(1) };

const PREFIX = { error: "letters, digits, _ and -, and a dot at the end, such as service." };
const SEGMENT = { error: "letters, digits, _ and -, such as brokerage" };
const { eventPrefix, cipSegment } = CONTRACT_WORDS;
const PENDING = { error: PENDING_SETTINGS.join(", ") };
const SERVICE = {
  pending: z.enum(PENDING_SETTINGS, PENDING).default("auto"),
  "event-prefix": z
    .string(PREFIX)
    .regex(/^[\w-]{1,40}\.$/, PREFIX)
    .default(eventPrefix),
  "cip-segment": z
    .string(SEGMENT)
    .regex(/^[\w-]{1,40}$/, SEGMENT)
    .default(cipSegment),
};

/** docs/run/configuration.md, "nightledger.yaml". */
const FILE = z.strictObject(
  {
    institution: institution.nullish(),
    hooks: z.array(hook, { error: "a list of hooks" }).nullish(),
    late: duration.nullish(),
    board: z
      .string({ error: BOARD })
      .refine(isBoardAddress, { error: BOARD })
      .transform((text) => text.replace(/\/+$/, ""))
      .nullish(),
    retention: z.strictObject(RETENTION, NAMED).nullish(),
    service: z.strictObject(SERVICE, NAMED).nullish(),
  },
  NAMED,
);

interface SettingsFile extends Omit<HookSettings, "secret"> {
  readonly institution: string | undefined;
  readonly retention: RetentionRules;
  readonly words: ServiceWords;
  readonly pending: PendingSetting;
}

/**
 * A missing file is empty.
 * @param isNamed it must be there
 * @throws InputError without the value, which may be secret
 */
export function readConfigFile(path: string, isNamed: boolean): SettingsFile {
  const parsed = FILE.safeParse(yamlOf(path, isNamed) ?? {});
  if (!parsed.success) throw refusal(path, parsed.error.issues.map(problemOf)[0] ?? "is invalid");
  const { institution, hooks, late, board, retention, service } = parsed.data;
  const waiting = hooks?.findIndex(({ on }) => on.includes("late")) ?? -1;
  if (waiting >= 0 && !late)
    throw refusal(
      path,
      `hooks[${waiting}].on has late, and nothing says when a schedule is. Add a line such as late: 26h`,
    );
  return {
    institution: institution ?? undefined,
    retention: retention ?? {},
    hooks: hooks ?? [],
    lateMs: late ?? undefined,
    board: board ?? undefined,
    words: service
      ? { eventPrefix: service["event-prefix"], cipSegment: service["cip-segment"] }
      : CONTRACT_WORDS,
    pending: service?.pending ?? "auto",
  };
}

function yamlOf(path: string, isNamed: boolean): unknown {
  let text = "";
  try {
    text = readText(path, isNamed);
    return parse(text, { prettyErrors: false });
  } catch (error) {
    const { code, pos } = error as { code?: string; pos?: readonly [number, number] };
    if (text === "") throw refusal(path, `can't be read (${code ?? "unknown"}); make it a UTF-8 text file`);
    const line = text.slice(0, pos?.[0] ?? 0).split("\n").length;
    throw refusal(path, `is not YAML (line ${line}, ${code ?? "not readable"})`);
  }
}

function problemOf(issue: z.core.$ZodIssue): string {
  const where = pathWords(issue.path);
  if (issue.code !== "unrecognized_keys")
    return `${where === "" ? "the file" : where} is invalid; accepted: ${issue.message}`;
  const unknown = issue.keys.map((key) => pathWords([...issue.path, key])).join(", ");
  const shape = { hooks: HOOK, retention: RETENTION, service: SERVICE }[String(issue.path[0])] ?? FILE.shape;
  const accepted = Object.keys(shape).join(", ");
  return `has an unknown setting: ${unknown}; accepted: ${accepted}`;
}

/** `hooks[0].on` */
function pathWords(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : `${at === 0 ? "" : "."}${String(part)}`))
    .join("");
}

function refusal(path: string, problem: string): InputError {
  return new InputError(`${path}: ${problem}. Nothing was started.`);
}
