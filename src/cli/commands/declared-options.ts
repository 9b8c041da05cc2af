import { resolve } from "node:path";
import { type Command, Option } from "commander";
import type { z } from "zod";
import type { BulkOptions } from "../../domain/bulk/bulk-job.js";
import { InputError } from "../../domain/failures.js";

/** By commander's names. */
export type Flags = Readonly<Record<string, unknown>>;

interface DeclaredOption {
  readonly name: string;
  readonly option: Option;
}

export function declaredOptions({ shape }: z.ZodObject): DeclaredOption[] {
  return Object.entries(shape as Record<string, z.ZodType>).map(([name, schema]) => {
    const { description: words = "" } = schema;
    const flag = name.replaceAll("_", "-");
    const [, value, description = ""] = /^(?:(<\w+>) )?(.*)$/.exec(words) ?? [];
    const leftOut = schema.safeParse(undefined);
    const isShown = ["string", "number"].includes(typeof leftOut.data);
    const option = new Option(
      value === undefined ? `--${flag}` : `--${flag} ${value}`,
      isShown ? `${description} (default: ${leftOut.data})` : description,
    );
    return { name, option: option.makeOptionMandatory(!leftOut.success) };
  });
}

export function withDeclared(command: Command, schema: z.ZodObject): Command {
  for (const { option } of declaredOptions(schema)) command.addOption(option);
  return command;
}

/** With absolute paths. @throws InputError that names an option */
export function readDeclared(schema: z.ZodObject, flags: Flags, cwd: string): BulkOptions {
  const declared = declaredOptions(schema);
  const given = declared.flatMap(({ name, option }) => {
    const value = flags[option.attributeName()];
    return value === undefined ? [] : [[name, absoluteText(value, option, cwd)]];
  });
  const { data, error } = schema.safeParse(Object.fromEntries(given));
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return data as BulkOptions;
  const { long } = declared.find(({ name }) => name === issue.path[0])?.option ?? {};
  const words = issue.message.startsWith(":") ? issue.message : ` ${issue.message}`;
  throw new InputError(`${long}${words}. Nothing was started.`);
}

function absoluteText(text: unknown, { flags }: Option, cwd: string): unknown {
  if (typeof text !== "string") return text;
  const isPath = flags.endsWith("<export>") ? text.includes("/") : /<(file|directory)>$/.test(flags);
  return isPath ? resolve(cwd, text) : text;
}
