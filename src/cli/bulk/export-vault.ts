import type { BulkOptions } from "../../domain/bulk/bulk-job.js";
import { InputError } from "../../domain/failures.js";
import {
  canonicalTransform,
  hmacTransform,
  TRANSFORM_FORMS,
  transformList,
  transformProblem,
} from "../../domain/service/transform.js";
import { isProtected, isSecretField, MOST_SHOWN } from "../../domain/service/vault/secret-field.js";
import { acceptedIdentifiers, identifierProblem } from "../../domain/service/vault/vault-identifier.js";
import { readSecrets } from "../../intake/bulk/secrets.js";
import { KEYED_HASH, vaultJob } from "../../jobs/vault.js";
import type { Terminal } from "../terminal/terminal.js";
import { type BulkFlags, runBulk } from "./run.js";

export interface VaultFlags extends BulkFlags {
  readonly roster: string;
  readonly fields: string;
  readonly reason: string;
  readonly transforms?: string;
  readonly hmacKey?: string;
  readonly allowPlain?: boolean;
}

/** Runs or joins an export of vault data; the exit code. @throws InputError */
export async function exportVault(terminal: Terminal, flags: VaultFlags): Promise<number> {
  const options = vaultOptions(flags);
  const secrets = await readSecrets({ hmacKey: flags.hmacKey }, terminal.cwd);
  return runBulk(terminal, vaultJob, flags.roster, options, flags, { secrets });
}

/** What is asked of an export, from its flags. @throws InputError naming the flag that is wrong. */
export function vaultOptions(flags: VaultFlags): BulkOptions {
  const { reason, allowPlain = false } = flags;
  if (reason.trim() === "") throw refused("--reason is blank. Say why the data is decrypted.");
  const fields = fieldsOf(flags.fields);
  const transforms = transformsOf(flags);
  const given = transforms.map((text) => (text === KEYED_HASH ? hmacTransform("key") : text));
  const plain = fields.filter((field) => isSecretField(field) && !isProtected(field, given));
  const isOne = plain.length === 1;
  if (plain.length > 0 && !allowPlain)
    throw refused(
      `--fields: ${plain.join(", ")} would be decrypted as ${isOne ? "it is, and is a secret" : "they are, and are secrets"}. Give --transforms with ` +
        `hmac_sha256, encrypt('<algorithm>','<public_key>') or, of values of more than four characters, suffix(n) or ` +
        `prefix(n) with n up to ${MOST_SHOWN}; or --allow-plain.`,
    );
  return {
    fields: fields.join(","),
    reason,
    transforms: transforms.length > 0 ? transforms.join(",") : null,
    ...(allowPlain && { allow_plain: true }),
  };
}

function fieldsOf(text: string): string[] {
  const fields = [...new Set(text.split(",").map((field) => field.trim()))].filter((field) => field !== "");
  if (fields.length === 0) throw refused("--fields names no field.");
  for (const field of fields) {
    const problem = identifierProblem("decrypt", field);
    if (problem !== undefined)
      throw refused(
        `--fields: ${field} is ${problem.rule}. Accepted: ${acceptedIdentifiers("decrypt", field)}.`,
      );
  }
  return fields;
}

function transformsOf({ transforms = "", hmacKey }: VaultFlags): string[] {
  const list = transformList(transforms).map(canonicalTransform);
  for (const text of list) {
    if (text === KEYED_HASH) continue;
    if (text.startsWith(KEYED_HASH))
      throw refused(
        `--transforms: the key of hmac_sha256 must not be on the command line, where others can read it. ` +
          `Write hmac_sha256 alone, and give --hmac-key <file>.`,
      );
    const problem = transformProblem(text);
    if (problem !== undefined)
      throw refused(
        `--transforms: ${problem}. Accepted: ${TRANSFORM_FORMS}; hmac_sha256 takes its key from --hmac-key.`,
      );
  }
  const isKeyed = list.includes(KEYED_HASH);
  if (isKeyed && hmacKey === undefined)
    throw refused("--transforms has hmac_sha256, which needs --hmac-key <file>.");
  if (!isKeyed && hmacKey !== undefined)
    throw refused("--hmac-key is given, and --transforms has no hmac_sha256.");
  return list;
}

function refused(problem: string): InputError {
  return new InputError(`${problem} Nothing was started.`);
}
