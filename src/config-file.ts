import { parse } from "yaml";
import { z } from "zod";
import { readText } from "./config-values.js";
import {
  type AlertRules,
  type AlertSettings,
  isBoardAddress,
  isWebhookAddress,
} from "./domain/alert-settings.js";
import { parseDuration } from "./domain/duration.js";
import { InputError } from "./domain/failures.js";
import type { RetentionRules } from "./domain/tables/retention.js";

const flag = z.boolean({ error: "true or false" });
const count = z.int({ error: "a whole number" }).min(0, { error: "a whole number from 0" });
const BOARD = "an http: or https: address without a user, a query or a fragment";
const ADDRESS = "an http: or https: address without a user";
const DURATION = "a number and a unit, such as 14d, 36h, 90m or 30s";
const duration = z
  .string({ error: DURATION })
  .transform(parseDuration)
  .refine((ms) => ms !== undefined, { error: DURATION });
const address = z.string({ error: ADDRESS }).refine(isWebhookAddress, { error: ADDRESS });
const INSTITUTION = { error: "a name of up to 80 characters, in one line" };
const institution = z
  .string(INSTITUTION)
  .trim()
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,80}$/u, INSTITUTION);
const NAMED = { error: "settings by their names" };

const ALERTS = {
  "failed-run": flag.optional(),
  "max-age": duration.optional(),
  "failed-links": count.optional(),
  "another-subject": z
    .union([count, z.literal(false)], { error: "a whole number from 0, or false" })
    .optional(),
  "open-quarantine": count.optional(),
  "run-missing": flag.optional(),
  "run-longer-than": duration.optional(),
  "notify-command": z.string({ error: "a shell command" }).min(1, { error: "a shell command" }).optional(),
  "notify-webhook": address.optional(),
  board: z
    .string({ error: BOARD })
    .refine(isBoardAddress, { error: BOARD })
    .transform((text) => text.replace(/\/+$/, ""))
    .optional(),
};

const years = (least: number) => {
  const error = `a number of years from ${least}y to 100y, such as 7y`;
  return z
    .string({ error })
    .regex(/^[1-9]\d{0,2}y$/, { error })
    .transform((text) => Number.parseInt(text, 10))
    .refine((count) => count >= least && count <= 100, { error })
    .optional();
};

/** The records of CIP are kept for five years at least: 31 CFR 1020.220(a)(3)(ii). */
const RETENTION = { "cip-identity": years(5), "cip-results": years(5), transactions: years(1) };

/** What a file of settings may hold (docs/run/configuration.md, "nightledger.yaml"). */
const FILE = z.strictObject(
  {
    institution: institution.nullish(),
    alerts: z.strictObject(ALERTS, NAMED).nullish(),
    retention: z.strictObject(RETENTION, NAMED).nullish(),
  },
  NAMED,
);

/**
 * Reads a file of settings; one that is not there is empty.
 *
 * @param isNamed whether somebody has named it, so that it must be there
 * @throws InputError naming what is wrong; a value is never quoted, for it may be secret.
 */
export function readConfigFile(
  path: string,
  isNamed: boolean,
): {
  readonly institution?: string | undefined;
  readonly alerts?: AlertSettings;
  readonly retention: RetentionRules;
} {
  const parsed = FILE.safeParse(yamlOf(path, isNamed) ?? {});
  if (!parsed.success) throw refusal(path, parsed.error.issues.map(problemOf)[0] ?? "is invalid");
  const { alerts } = parsed.data;
  const retention = parsed.data.retention ?? {};
  const institution = parsed.data.institution ?? undefined;
  if (!alerts) return { institution, retention };
  const { "notify-command": command, "notify-webhook": webhook, board, ...rules } = alerts;
  return {
    institution,
    retention,
    alerts: {
      rules: rules satisfies AlertRules,
      targets: { command, webhook, ...(board !== undefined && { board }) },
    },
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
  const where = issue.path.join(".");
  if (issue.code !== "unrecognized_keys")
    return `${where === "" ? "the file" : where} is invalid; accepted: ${issue.message}`;
  const unknown = issue.keys.map((key) => [...issue.path, key].join(".")).join(", ");
  const accepted = Object.keys({ alerts: ALERTS, retention: RETENTION }[where] ?? FILE.shape).join(", ");
  return `has an unknown setting: ${unknown}; accepted: ${accepted}`;
}

function refusal(path: string, problem: string): InputError {
  return new InputError(`${path}: ${problem}. Nothing was started.`);
}
