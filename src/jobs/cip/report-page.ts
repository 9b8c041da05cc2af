import { bdi, code, html, pageStart } from "../../pages/parts.js";
import { BASE_STYLES } from "../../pages/styles.js";

const STYLES = `${BASE_STYLES}
.top .facts div:last-child { grid-column: 1 / -1; }
.kicker { margin: 0; color: var(--quiet); letter-spacing: .08em; text-transform: uppercase; font-size: .75rem; font-weight: 600; }
table.listing { table-layout: fixed; } .listing th:nth-child(1) { width: 27%; } .listing th:nth-child(2) { width: 18%; } .listing th:nth-child(3) { width: 20%; }
.listing.changes th:nth-child(1) { width: 20%; } .listing.changes th:nth-child(2) { width: 17%; } .listing.changes th:nth-child(3) { width: 16%; }
.listing .verdict { white-space: normal; }
.listing .ids { display: block; color: var(--quiet); font-size: .86em; }
.headline.cip { grid-template-columns: repeat(5, 1fr); } .headline.cip li:first-child { grid-column: span 2; }
time { white-space: nowrap; }
@media (max-width: 46rem) { .headline.cip { grid-template-columns: 1fr 1fr; } }
@media print { .headline.cip { grid-template-columns: repeat(5, 1fr); } .verdict { font-size: 8pt; padding-top: 0; padding-bottom: 0; } }
`;

/** Repeated on each printed sheet. */
export interface ReportFrame {
  readonly exportId: string;
  /** Over the files of rows (docs/use/exports.md, "The hash on each sheet"). */
  readonly contentSha256: string;
  readonly institution?: string | undefined;
  readonly unmasked: boolean;
}

/**
 * The report up to its top. Three texts go into a style sheet, where HTML's escapes have no effect.
 * @throws where a text could end the style sheet
 */
export function reportHead({ exportId, contentSha256, institution, unmasked }: ReportFrame): string {
  if (!/^[\w.-]+$/.test(exportId) || !/^[0-9a-f]{64}$/.test(contentSha256)) {
    throw new Error("an export's id and hash hold letters, digits, dots and dashes only");
  }
  const printedInstitution = institution ? `${cssText(institution)}\\A ` : "";
  const printedId = `CIP export ${exportId}${unmasked ? " — UNMASKED" : ""}`;
  const styles = `${STYLES}
@page { size: A4; margin: 17mm 15mm 19mm;
  @bottom-left { content: "${printedInstitution}${printedId}\\A content sha256 ${contentSha256}"; white-space: pre; font: 6.5pt/1.5 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; color: #4f5b69; }
  @bottom-right { content: "page " counter(page) " of " counter(pages); font: 8pt system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: #4f5b69; }
}
`;
  const head = html`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="robots" content="noindex">
<style>${{ html: styles }}</style>
`;
  return pageStart(`CIP report · ${exportId}`, head).html;
}

/** A string of a style sheet: signs by number. */
function cssText(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N} ]/gu, (one) => `\\${one.codePointAt(0)?.toString(16)} `);
}

export function reportFoot({ exportId, contentSha256, institution, unmasked }: ReportFrame): string {
  const shows = "Unmasked: tax ids, birth dates, addresses and IP addresses are shown.";
  return html`</main>
<footer>
<p>${institution ? html`${bdi(institution)}. ` : null}Export ${code(exportId)}. Content sha256 ${code(contentSha256)}: the hash over the pack's files of rows, which its manifest.json repeats. <code>sha256sum -c SHA256SUMS</code> in the pack's directory proves every file; <code>npx nightledger verify</code> proves the counts, the chain of packs and the signature too.</p>
${unmasked ? html`<p><strong>${shows}</strong></p>\n` : null}</footer>
</body>
</html>
`.html;
}
