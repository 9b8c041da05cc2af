import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { codeOf } from "./config-values.js";
import { type AlertRules, type AlertSettings, isWebhookAddress } from "./domain/alert-settings.js";
import { parseDuration } from "./domain/duration.js";
import { InputError } from "./domain/failures.js";

const duration = z.string().transform((text, context) => {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  context.addIssue({
    code: "custom",
    message: "accepted: a number and a unit, such as 14d, 36h, 90m or 30s",
  });
  return z.NEVER;
});
const count = z
  .int({ error: "accepted: a whole number" })
  .min(0, { error: "accepted: a whole number from 0" });

/** What a file of settings may hold (docs/run/configuration.md, "nightledger.yaml"). */
const FILE = z.strictObject({
  alerts: z
    .strictObject({
      "failed-run": z.boolean({ error: "accepted: true or false" }).optional(),
      "max-age": duration.optional(),
      "failed-links": count.optional(),
      "another-subject": count.or(z.literal(false)).optional(),
      "open-quarantine": count.optional(),
      "run-missing": z.boolean({ error: "accepted: true or false" }).optional(),
      "run-longer-than": duration.optional(),
      "notify-command": z.string().min(1, { error: "accepted: a shell command" }).optional(),
      "notify-webhook": z
        .string()
        .refine(isWebhookAddress, { error: "accepted: an http: or https: address" })
        .optional(),
    })
    .nullish(),
});

/**
 * Reads a file of settings; one that is not there is empty.
 *
 * @param isNamed whether somebody has named it, so that it must be there
 * @throws InputError naming what is wrong; a value is never quoted, for it may be secret.
 */
export function readConfigFile(path: string, isNamed: boolean): { readonly alerts?: AlertSettings } {
  const text = textOf(path, isNamed);
  if (text === undefined) return {};
  const parsed = FILE.safeParse(yamlOf(path, text) ?? {});
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refusal(path, issue === undefined ? "is invalid" : problemOf(issue));
  }
  const { alerts } = parsed.data;
  if (!alerts) return {};
  const { "notify-command": command, "notify-webhook": webhook, ...rules } = alerts;
  return { alerts: { rules: rules satisfies AlertRules, targets: { command, webhook } } };
}

function textOf(path: string, isNamed: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    if (codeOf(error) === "ENOENT" && !isNamed) return undefined;
    throw refusal(path, `can't be read (${codeOf(error)}); make it a UTF-8 text file`);
  }
}

function yamlOf(path: string, text: string): unknown {
  try {
    return parse(text, { prettyErrors: false });
  } catch (error) {
    const { code, pos } = error as { code?: string; pos?: readonly [number, number] };
    const line = text.slice(0, pos?.[0] ?? 0).split("\n").length;
    throw refusal(path, `is not YAML (line ${line}, ${code ?? "not readable"})`);
  }
}

function problemOf(issue: z.core.$ZodIssue): string {
  const where = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    const unknown = issue.keys.map((key) => (where === "" ? key : `${where}.${key}`)).join(", ");
    const accepted = Object.keys(where === "alerts" ? FILE.shape.alerts.unwrap().unwrap().shape : FILE.shape);
    return `has an unknown setting: ${unknown}; accepted: ${accepted.join(", ")}`;
  }
  const words = issue.message.startsWith("accepted:")
    ? issue.message
    : "accepted: see docs/run/configuration.md";
  return `${where === "" ? "the file" : where} is invalid; ${words}`;
}

function refusal(path: string, problem: string): InputError {
  return new InputError(`${path}: ${problem}. Nothing was started.`);
}
