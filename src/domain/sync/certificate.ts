export interface CertificateFields {
  readonly run_id: string;
  readonly link_id: string;
  readonly fp_id: string;
  readonly generation: number;
  readonly cursor_in: string | null;
  readonly cursor_out: string | null;
  readonly pages: number;
  readonly created: number;
  readonly updated: number;
  readonly removed: number;
  readonly quarantined: number;
  readonly sequence_from: number | null;
  readonly sequence_to: number | null;
  readonly pages_sha256: string;
  readonly rows_sha256: string | null;
  readonly certificate_prev: string | null;
}

export const CERTIFICATE_FIELDS = [
  "run_id",
  "link_id",
  "fp_id",
  "generation",
  "cursor_in",
  "cursor_out",
  "pages",
  "created",
  "updated",
  "removed",
  "quarantined",
  "sequence_from",
  "sequence_to",
  "pages_sha256",
  "rows_sha256",
  "certificate_prev",
] as const satisfies readonly (keyof CertificateFields)[];

/** The text whose sha256 is the certificate (docs/use/tables.md, "Certificate"). */
export function certificateText(fields: CertificateFields): string {
  return CERTIFICATE_FIELDS.map((name) => `${name}=${fields[name] ?? ""}\n`).join("");
}
