/** A workflow task that a killed worker held is given to another one after this: part of every start. */
export const TASK_TIMEOUT = "5s";
