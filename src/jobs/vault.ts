import { SchemaError } from "../api/http/errors.js";
import { decryptVault } from "../api/operations/vault.js";
import type { BulkOptions } from "../domain/bulk/bulk-job.js";
import { rawMembers } from "../domain/json/text.js";
import { TOKEN_TTL } from "../domain/service/client-token-grant.js";
import { hmacTransform, transformList } from "../domain/service/transform.js";
import { vaultValues } from "../lake/tables/vault.js";
import type { BulkJob } from "./job.js";
import { type UserRow, userRoster } from "./roster.js";

/** What the service decrypted of one user. */
interface Decrypted {
  /** The answer's JSON as it came. */
  readonly json: string;
  /** ISO instant of the answer. */
  readonly at: string;
}

/** A transform of the options whose key is a secret of the job. */
export const KEYED_HASH = "hmac_sha256";

/** Exports decrypted vault data of each user of a roster (docs/use/vault.md, "Out of the vault"). */
export const vaultJob: BulkJob<UserRow, Decrypted> = {
  kind: "vault",
  ...userRoster,
  effect: false,
  groupRows: 500,
  async work(rows, caller) {
    const fp_id = rows[0]?.row.fp_id ?? "";
    const { fields, reason, transforms } = asked(caller.options);
    const owner = { fp_id, decrypt_reason: reason, ttl: TOKEN_TTL.min };
    const key = caller.secrets.hmacKey ?? "";
    const keyed = transforms.map((text) => (text === KEYED_HASH ? hmacTransform(key) : text));
    const body = { fields: fields as [string], reason, ...(keyed.length > 0 && { transforms: keyed }) };
    const answer = await caller.onceText("values", decryptVault, { body }, owner);
    assertValues(answer.body);
    return { json: answer.body, at: new Date(answer.at).toISOString() };
  },
  tables: [vaultValues],
  rows: ({ runId, options }, { rows, result }) => {
    if (result === null) return { vault_values: [] };
    const { fields, reason, transforms } = asked(options);
    const members = rawMembers(result.json);
    return {
      vault_values: rows.flatMap(({ row: { fp_id, external_id } }) =>
        fields.map((field) => ({
          ...{ run_id: runId, fp_id, external_id: external_id ?? null, field },
          ...storedValue(members.get(field)),
          ...{ transforms: transforms.join(",") || null, reason, decrypted_at: result.at },
        })),
      ),
    };
  },
};

function asked({ fields, reason, transforms }: BulkOptions) {
  return {
    fields: String(fields).split(","),
    reason: String(reason),
    transforms: transformList(String(transforms ?? "")),
  };
}

/** Checks that an answer has values of the types that the service sends. */
function assertValues(json: string): void {
  const broken = (path: string, expectation: string) =>
    new SchemaError({ operation: decryptVault.name, sent: true }, path, expectation);
  for (const [field, value] of rawMembers(json)) {
    if (value !== "null" && typeOf(value) === undefined)
      throw broken(field, "expected text, an integer, true, false or an object");
  }
}

/** What the service may send, by its first character; docs/reference/service.md, "Data identifiers". */
const TYPES: Readonly<Record<string, string>> = { '"': "string", "{": "object", t: "boolean", f: "boolean" };

/** The type of a value, by its JSON; undefined for one that the service does not send. */
function typeOf(json: string): string | undefined {
  return TYPES[json[0] ?? ""] ?? (/^-?\d+$/.test(json) ? "integer" : undefined);
}

/** A value as the table has it: a text as it is, everything else as the JSON that came. */
function storedValue(json: string | undefined) {
  if (json === undefined || json === "null") return { status: "absent", value_type: null, value: null };
  const value_type = typeOf(json);
  return {
    status: "value",
    value_type,
    value: value_type === "string" ? (JSON.parse(json) as string) : json,
  };
}
