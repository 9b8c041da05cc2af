import stringWidth from "string-width";

/** A label, spaces or a dash: later lines are indented as far. */
const BEFORE_WORDS = /^(?:\S{1,12}(?: \S{1,8})? {2,}| *)(?:[→-] )?/;
/** Commands to copy are not broken. */
const COMMAND = /^ *(?:\(cd |(?:[A-Z_]+=\S+ )*(?:npx )?nightledger )/;

/** Breaks lines at words; without a width, none. */
export function wrapped(text: string, width?: number): string {
  if (width === undefined) return text;
  return text
    .split("\n")
    .map((line) => (stringWidth(line) <= width || COMMAND.test(line) ? line : brokenLine(line, width)))
    .join("\n");
}

function brokenLine(line: string, width: number): string {
  const before = BEFORE_WORDS.exec(line)?.[0] ?? "";
  const indent = " ".repeat(before.length);
  let last = before;
  const lines: string[] = [];
  for (const [at, word] of line.slice(before.length).split(" ").entries()) {
    const longer = at === 0 ? last + word : `${last} ${word}`;
    if (at === 0 || stringWidth(longer) <= width) last = longer;
    else {
      lines.push(last);
      last = indent + word;
    }
  }
  return [...lines, last].join("\n");
}
