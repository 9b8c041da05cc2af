import { read } from "./source-tree.js";

/** The text below a heading of any level, up to the next heading of the same or a higher one. */
export function section(path: string, heading: string): string {
  const lines = read(path).split("\n");
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, "") === heading);
  if (start < 0) return "";
  const level = /^#+/.exec(lines[start] ?? "")?.[0].length ?? 0;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => (/^(#+) /.exec(line)?.[1]?.length ?? 7) <= level);
  return (end < 0 ? rest : rest.slice(0, end)).join("\n");
}

/** The rows of the first table of a text, its head left out; each row as its cells. */
export function firstTable(text: string): string[][] {
  const lines = text.split("\n");
  const rule = lines.findIndex((line) => /^\| *---/.test(line));
  if (rule < 0) return [];
  const rest = lines.slice(rule + 1);
  const end = rest.findIndex((line) => !line.startsWith("|"));
  return (end < 0 ? rest : rest.slice(0, end)).map(cells);
}

function cells(line: string): string[] {
  return line
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}

export function anchors(path: string): Set<string> {
  return new Set(
    headings(path).map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** Headings of a document as a reference names them: without the marks of code. */
export function headings(path: string): string[] {
  const lines = read(path)
    .replace(/^```[\s\S]*?^```/gm, "")
    .match(/^#+ .*$/gm);
  return (lines ?? []).map((line) => line.replace(/^#+ /, "").replaceAll("`", ""));
}

interface Reference {
  readonly page: string;
  readonly heading: string;
}

const REFERENCE = /\b(docs\/[\w./-]+\.md), ("[^"]+"(?:(?:,| and) "[^"]+")*)/g;

/** References: path of a page, comma, headings in double quotes; also across lines of a comment. */
export function references(text: string): Reference[] {
  const joined = text.replace(/\s*\n\s*(?:\*(?!\/)|\/\/|#)?\s*/g, " ");
  return [...joined.matchAll(REFERENCE)].flatMap(([, page = "", quoted = ""]) =>
    [...quoted.matchAll(/"([^"]+)"/g)].map(([, heading = ""]) => ({ page, heading })),
  );
}

/** Targets of the links of a text, images and addresses left out. */
export function links(path: string): string[] {
  return [...read(path).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}
