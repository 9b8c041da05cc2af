import { z } from "zod";
import {
  canonicalTransform,
  hmacTransform,
  TRANSFORM_FORMS,
  transformList,
  transformProblem,
} from "../../domain/service/transform.js";
import { isProtected, isSecretField, MOST_SHOWN } from "../../domain/service/vault/secret-field.js";
import { acceptedIdentifiers, identifierProblem } from "../../domain/service/vault/vault-identifier.js";
import { filled, flag, type JobKind, orNull, text } from "../kind.js";

/** A transform of the options whose key is a secret of the job. */
export const KEYED_HASH = "hmac_sha256";

const fields = z
  .string()
  .transform((text) => [...new Set(text.split(",").map((field) => field.trim()))].filter(Boolean))
  .superRefine((names, context) => {
    const problem = fieldsProblem(names);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  });

const transforms = z
  .string()
  .transform((text) => transformList(text).map(canonicalTransform))
  .superRefine((list, context) => {
    const problem = list.map(keylessProblem).find((one) => one !== undefined);
    if (problem !== undefined) context.addIssue({ code: "custom", message: `: ${problem}` });
  })
  .transform((list) => (list.length === 0 ? null : list));

export const vaultKind = {
  kind: "vault",
  command: "export vault",
  description: "decrypt fields of the vaults of all users in a roster into the table vault_values",
  example: 'nightledger export vault --roster users.csv --fields id.email,id.dob --reason "yearly review"',
  file: {
    name: "roster",
    option: "--roster",
    columns: "CSV or JSONL file: fp_id, optionally external_id",
  },
  options: z
    .object({
      fields: fields.describe(
        "<list> data identifiers to decrypt, separated by commas: id.email,custom.plan",
      ),
      reason: filled("Say why the data is decrypted").describe(
        "<text> why the data is decrypted; the service logs it, and it is kept with the run and in the table: include no personal data",
      ),
      transforms: orNull(transforms).describe(
        "<list> transforms of every value, separated by commas: suffix(4), hmac_sha256, to_lowercase, …",
      ),
      allow_plain: flag
        .optional()
        .describe(
          "decrypt tax ids, card and account numbers and passwords without a transform that protects them",
        ),
    })
    .superRefine((options, context) => {
      const message = plainProblem(options);
      if (message !== undefined) context.addIssue({ code: "custom", path: ["fields"], message });
    }),
  inputs: z.object({
    hmac_key: text.optional().describe("<file> file with the key of hmac_sha256"),
  }),
  effect: false,
} as const satisfies JobKind;

export type VaultOptions = z.output<typeof vaultKind.options>;

function fieldsProblem(names: readonly string[]): string | undefined {
  if (names.length === 0) return "names no field";
  for (const name of names) {
    const problem = identifierProblem("decrypt", name);
    if (problem !== undefined)
      return `: ${name} is ${problem.rule}. Accepted: ${acceptedIdentifiers("decrypt", name)}`;
  }
  return undefined;
}

/** Why a transform can't be given, where the key of a hash has an option of its own. */
function keylessProblem(text: string): string | undefined {
  if (text === KEYED_HASH) return undefined;
  if (text.startsWith(KEYED_HASH))
    return (
      "the key of hmac_sha256 must not be on the command line, where others can read it. " +
      "Write hmac_sha256 alone, and give --hmac-key <file>"
    );
  const problem = transformProblem(text);
  return problem && `${problem}. Accepted: ${TRANSFORM_FORMS}; hmac_sha256 takes its key from --hmac-key`;
}

/** Which fields are secrets that nothing protects, unless that is allowed. */
function plainProblem({
  fields: names,
  transforms: list,
  allow_plain,
}: {
  readonly fields: readonly string[];
  readonly transforms: readonly string[] | null;
  readonly allow_plain?: boolean | undefined;
}): string | undefined {
  const transformed = (list ?? []).map((text) => (text === KEYED_HASH ? hmacTransform("key") : text));
  const plain = names.filter((field) => isSecretField(field) && !isProtected(field, transformed));
  if (allow_plain || plain.length === 0) return undefined;
  const isOne = plain.length === 1;
  return (
    `: ${plain.join(", ")} would be decrypted as ${isOne ? "it is, and is a secret" : "they are, and are secrets"}. Give --transforms with ` +
    `hmac_sha256, encrypt('<algorithm>','<public_key>') or, of values of more than four characters, suffix(n) or ` +
    `prefix(n) with n up to ${MOST_SHOWN}; or --allow-plain`
  );
}
