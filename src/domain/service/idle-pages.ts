/** Pages in a row that add nothing while each promises more: then the list never ends. */
export const MOST_IDLE_PAGES = 100;
