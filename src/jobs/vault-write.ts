import { z } from "zod";
import { userRow } from "../api/file-fields.js";
import { uploadError } from "../api/http/refused-upload.js";
import { updateVault, uploadToVault } from "../api/operations/vault.js";
import type { RefusedRequest } from "../domain/refusals.js";
import { type BrokenRule, broken } from "../domain/row-problem.js";
import { TOKEN_TTL } from "../domain/service/client-token-grant.js";
import { isDocument } from "../domain/service/vault/vault-identifier.js";
import { uploadProblem, vaultValueProblem } from "../domain/service/vault/vault-value.js";
import { vaultWrites } from "../lake/tables/bulk.js";
import { type BulkJob, type Caller, type EndedItem, type JobRow, refusalOf, rowPerUser } from "./job.js";
import { vaultWriteKind } from "./kinds/vault-write.js";

/** Whose vault, values by identifier, files under `upload:<identifier>`. */
type VaultRow = { readonly fp_id: string; readonly external_id?: string } & {
  readonly [column: string]: unknown;
};

/** `reason` is null where all was written. */
interface Written {
  readonly fields: readonly string[];
  readonly reason: string | null;
  readonly refused?: RefusedRequest | undefined;
  /** An earlier answer was lost, so it may be written although it was refused. */
  readonly isUnsure: boolean;
  /** ISO instant. */
  readonly at: string;
}

const UPLOAD = "upload:";
const NO_VALUE: BrokenRule = broken("no_value", "has no value and no file");
const TWICE: BrokenRule = broken("value_too", "is given as a value too");

/** Writes a file's values and files into vaults (docs/use/vault.md, "Into the vault"). */
export const vaultWriteJob: BulkJob<VaultRow, Written> = {
  ...vaultWriteKind,
  row: userRow.catchall(z.unknown()).superRefine((row, context) => {
    const add = (path: string[], { code, rule: message }: BrokenRule) =>
      context.addIssue({ code: "custom", path, message, params: { code } });
    const columns = fieldColumns(row);
    if (columns.length === 0) add([], NO_VALUE);
    for (const column of columns) {
      const problem = columnProblem(row, column);
      if (problem !== undefined) add([column], problem);
    }
  }),
  files: (row) => fieldColumns(row).filter(isUpload),
  doubt: { row: documentDoubt },
  ...rowPerUser,
  groupRows: 500,
  async work([only], caller) {
    if (only === undefined) throw new Error("an item without a row");
    const { fp_id } = only.row;
    const fields = fieldColumns(only.row).map(fieldOf);
    const grant = { fp_id, scope: "vault" as const, fields, ttl: TOKEN_TTL.min };
    return caller.withToken(grant, (granted) => writeRow(only, granted));
  },
  end: ({ reason, refused }) => (reason === null ? undefined : { status: "failed", reason, refused }),
  tables: [vaultWrites],
  rows: ({ runId }, item) => ({
    vault_writes: item.rows.map(({ line, row }) => {
      const { result, refused } = item;
      return {
        ...{ run_id: runId, line, fp_id: row.fp_id, external_id: row.external_id ?? null },
        status: statusOf(item),
        fields: JSON.stringify(fieldColumns(row).map(fieldOf)),
        fields_written: result === null ? null : JSON.stringify(result.fields),
        reason: result?.reason ?? item.reason,
        error_message: (result?.refused ?? refused)?.message ?? null,
        written_at: result?.at ?? new Date().toISOString(),
      };
    }),
  }),
};

async function writeRow({ line, row, files = {} }: JobRow<VaultRow>, caller: Caller): Promise<Written> {
  const owner = { fp_id: row.fp_id, ttl: TOKEN_TTL.min };
  const names = fieldColumns(row).filter((column) => !isUpload(column));
  const fields: string[] = [];
  let call = "values";
  let upload: string | undefined;
  try {
    if (names.length > 0) {
      const body = Object.fromEntries(names.map((name) => [name, row[name]]));
      await caller.once(call, updateVault, { body } as never, owner);
      fields.push(...names);
    }
    for (const [index, [column, { contentType }]] of Object.entries(files).entries()) {
      const identifier = fieldOf(column);
      const headers = contentType === null ? {} : { content_type: contentType };
      const body = await caller.file(line, column);
      call = `upload-${index}`;
      upload = identifier;
      await caller.once(call, uploadToVault, { path: { identifier }, headers, body }, owner);
      fields.push(identifier);
    }
    return { fields, reason: null, isUnsure: false, at: new Date().toISOString() };
  } catch (failed) {
    const lost = await caller.lost(call);
    const error = upload === undefined ? failed : uploadError(failed, upload, lost);
    const refusal = refusalOf(error);
    if (refusal === undefined) throw failed;
    return { fields, ...refusal, isUnsure: lost > 0, at: new Date().toISOString() };
  }
}

function documentDoubt(row: object): string | undefined {
  const column = fieldColumns(row).find((each) => isUpload(each) && isDocument(fieldOf(each)));
  return (
    column && `${column}: the contract has no upload of documents; a service that takes none refuses the row`
  );
}

function statusOf({ result, asked }: EndedItem<VaultRow, Written>): string {
  if (result === null) return asked > 0 ? "unknown" : "not_written";
  if (result.reason === null) return "written";
  if (result.isUnsure) return "unknown";
  return result.fields.length > 0 ? "partly_written" : "not_written";
}

function columnProblem(row: object, column: string): BrokenRule | undefined {
  const value = (row as VaultRow)[column];
  if (!isUpload(column)) return vaultValueProblem("update", column, value);
  return uploadProblem(fieldOf(column), value) ?? (Object.hasOwn(row, fieldOf(column)) ? TWICE : undefined);
}

function fieldColumns(row: object): string[] {
  return Object.keys(row).filter((column) => column !== "fp_id" && column !== "external_id");
}

function isUpload(column: string): boolean {
  return column.startsWith(UPLOAD);
}

function fieldOf(column: string): string {
  return isUpload(column) ? column.slice(UPLOAD.length) : column;
}
