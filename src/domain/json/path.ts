const SEGMENT =
  /\.\.?(?:[\p{L}_][\p{L}\p{N}_-]*|\*)|(?:\.\.)?\[(?:\*|-?\d{1,9}|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|-?\d*:-?\d*(?::-?\d+)?|\?[^[\]]+)\]/uy;

/**
 * The segments of a JSON path (RFC 9535 as far as it is used: members, `*`, `..`, indexes, slices and filters
 * without brackets in them); undefined when the text is none.
 */
export function segmentsOfJsonPath(text: string): string[] | undefined {
  if (!text.startsWith("$")) return undefined;
  const segments: string[] = [];
  SEGMENT.lastIndex = 1;
  for (let at = 1; at < text.length; at = SEGMENT.lastIndex) {
    const segment = SEGMENT.exec(text)?.[0];
    if (segment === undefined) return undefined;
    segments.push(segment);
  }
  return segments;
}
