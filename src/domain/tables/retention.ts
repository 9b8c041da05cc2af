/**
 * The fewest days for which files stay that are not live. A run that was interrupted may commit what it wrote up to three
 * days before, and `transaction_links` reads what `transactions` has replaced since.
 */
export const LEAST_RETAINED_DAYS = 7;
