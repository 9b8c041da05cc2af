/** Pages in a row that add nothing, with more promised after each: after so many, nobody expects an end any more. */
export const MOST_IDLE_PAGES = 100;
