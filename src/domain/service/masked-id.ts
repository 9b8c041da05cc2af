/** Replaces what is not shown. */
export const HIDDEN = "•••";
const LAST_CHARACTERS = 4;
/** The end of a shorter id would give it away. */
const SHORTEST_SHOWN = 9;

/** An id as messages show it where they must not name whom it belongs to: its last four characters. */
export function maskedId(id: string): string {
  return id.length < SHORTEST_SHOWN ? HIDDEN : `${HIDDEN}${id.slice(-LAST_CHARACTERS)}`;
}
