/** Temporal gives the workflow task of a killed worker to another one after this; part of every start. */
export const TASK_TIMEOUT = "5s";
