/** An id that no user has. */
export const NOBODY = "nightledger-check";
