import { STYLES } from "./styles.js";
import { template } from "./template.js";

/** What stands on every page, so that a printed one says what it is of. */
export interface PageFrame {
  readonly exportId: string;
  /** Hash over the files of rows (docs/use/exports.md, "The hash on each page"). */
  readonly contentSha256: string;
  readonly title: string;
  /** Whether it shows what is masked elsewhere. */
  readonly unmasked: boolean;
  /** Class of the page's main part. */
  readonly kind: string;
}

// The two texts go into a style sheet, where escapes of HTML count for nothing: `frameOf` lets no other through.
const head = template(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="robots" content="noindex">
<title><%= it.title %> · <%= it.exportId %></title>
<style>${STYLES}
@page { size: A4; margin: 17mm 15mm 19mm;
  @bottom-left { content: "<%~ it.printedId %>\\A content sha256 <%~ it.contentSha256 %>"; white-space: pre; font: 6.5pt/1.5 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; color: #4f5b69; }
  @bottom-right { content: "page " counter(page) " of " counter(pages); font: 8pt system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: #4f5b69; }
}
</style>
</head>
<body>
<nav class="skip"><a href="#main">Skip to the contents</a></nav>
`);

const foot = template(`</main>
<footer>
<p>Export <code><%= it.exportId %></code>. Content sha256 <code><%= it.contentSha256 %></code>: the hash over the pack's files of rows, which its manifest.json repeats. <code>sha256sum -c SHA256SUMS</code> in the pack's directory proves every file; <code>npx nightledger verify</code> proves the counts, the chain of packs and the signature too.</p>
<% if (it.unmasked) { %><p><strong>Unmasked: tax ids, birth dates, addresses and IP addresses are shown.</strong></p><% } %>
</footer>
</body>
</html>
`);

/** @throws where a text could leave the style sheet that prints it. */
function frameOf(frame: PageFrame): PageFrame & { readonly printedId: string } {
  if (!/^[\w.-]+$/.test(frame.exportId) || !/^[0-9a-f]{64}$/.test(frame.contentSha256)) {
    throw new Error("an export's id and hash hold letters, digits, dots and dashes only");
  }
  return { ...frame, printedId: `CIP export ${frame.exportId}${frame.unmasked ? " — UNMASKED" : ""}` };
}

/** The beginning of a page, up to what goes above its main part. */
export function pageHead(frame: PageFrame): string {
  return head(frameOf(frame));
}

/** Opens the main part. */
export function mainPart({ kind }: PageFrame): string {
  return `<main id="main" class="${kind}">\n`;
}

/** The end of a page. */
export function pageFoot(frame: PageFrame): string {
  return foot(frameOf(frame));
}
