import { type UserRow, userRow } from "../api/file-fields.js";
import { decryptVault } from "../api/operations/vault.js";
import { InputError } from "../domain/failures.js";
import { rawMembers } from "../domain/json/text.js";
import { TOKEN_TTL } from "../domain/service/client-token-grant.js";
import { hasLoneSurrogate } from "../domain/service/transaction-values.js";
import { hmacTransform } from "../domain/service/transform.js";
import { vaultValues } from "../lake/tables/bulk.js";
import { type BulkJob, rowPerUser } from "./job.js";
import { KEYED_HASH, type VaultOptions, vaultKind } from "./kinds/vault.js";

interface Decrypted {
  /** As it came. */
  readonly json: string;
  /** ISO instant of the answer. */
  readonly at: string;
}

/** Exports decrypted vault data (docs/use/vault.md, "Out of the vault"). */
export const vaultJob: BulkJob<UserRow, Decrypted, VaultOptions> = {
  ...vaultKind,
  ...rowPerUser,
  row: userRow,
  secret: "hmacKey",
  doubt: { secret: hexDoubt },
  async read({ options: { transforms }, inputs }, open) {
    const path = inputs.hmac_key as string | undefined;
    const isKeyed = transforms?.includes(KEYED_HASH) === true;
    if (isKeyed && path === undefined)
      throw refused("--transforms has hmac_sha256, which needs --hmac-key <file>.");
    if (path === undefined) return undefined;
    if (!isKeyed) throw refused("--hmac-key is given, and --transforms has no hmac_sha256.");
    return keyOf((await open("--hmac-key", path)).toString("utf8"), path);
  },
  groupRows: 500,
  async work(rows, caller) {
    const fp_id = rows[0]?.row.fp_id ?? "";
    const { fields, reason, transforms } = caller.options;
    const owner = { fp_id, decrypt_reason: reason, ttl: TOKEN_TTL.min };
    const key = caller.secrets.hmacKey ?? "";
    const keyed = (transforms ?? []).map((text) => (text === KEYED_HASH ? hmacTransform(key) : text));
    const body = { fields: fields as [string], reason, ...(keyed.length > 0 && { transforms: keyed }) };
    const answer = await caller.onceText("values", decryptVault, { body }, owner);
    return { json: answer.body, at: new Date(answer.at).toISOString() };
  },
  tables: [vaultValues],
  rows: ({ runId, options }, { rows, result }) => {
    if (result === null) return { vault_values: [] };
    const { fields, reason, transforms } = options;
    const members = rawMembers(result.json);
    return {
      vault_values: rows.flatMap(({ row: { fp_id, external_id } }) =>
        fields.map((field) => ({
          ...{ run_id: runId, fp_id, external_id: external_id ?? null, field },
          ...storedValue(members.get(field)),
          ...{ transforms: transforms?.join(",") ?? null, reason, decrypted_at: result.at },
        })),
      ),
    };
  },
};

function keyOf(text: string, path: string): string {
  // An editor's last line feed is not part of the key.
  const key = text.replace(/\r?\n$/, "");
  if (key !== "" && !/\p{Cc}/u.test(key)) return key;
  const problem = key === "" ? "is empty" : "has more than one line, or a control character";
  throw refused(`--hmac-key ${path} ${problem}.`, "Put the key alone into the file.");
}

function hexDoubt(key: string): string | undefined {
  if (/^([0-9a-f]{2})+$/i.test(key)) return undefined;
  return "--hmac-key holds no hexadecimal digits: services are known that take the key in these only, and refuse each user otherwise";
}

function refused(problem: string, advice = ""): InputError {
  return new InputError(`${problem} Nothing was started. ${advice}`.trim());
}

/** By the first character of the JSON; a number is the rest. */
const TYPES: Readonly<Record<string, string>> = {
  '"': "string",
  "{": "object",
  "[": "list",
  t: "boolean",
  f: "boolean",
};

function typeOf(json: string): string {
  return TYPES[json[0] ?? ""] ?? (/^-?\d+$/.test(json) ? "integer" : "number");
}

/** A text as it is, anything else as its JSON. */
function storedValue(json: string | undefined) {
  if (json === undefined || json === "null") return { status: "absent", value_type: null, value: null };
  const value_type = typeOf(json);
  if (value_type !== "string") return { status: "value", value_type, value: json };
  const text = JSON.parse(json) as string;
  // Half a character can't be stored, so the text stays JSON.
  if (hasLoneSurrogate(text)) return { status: "value", value_type: "json", value: json };
  return { status: "value", value_type, value: text };
}
