/** Returns the started child workflow; undefined where one with its id is running already. */
export async function unlessRunning<R>(start: Promise<R>): Promise<R | undefined> {
  try {
    return await start;
  } catch (error) {
    if (error instanceof Error && error.name === "WorkflowExecutionAlreadyStartedError") return undefined;
    throw error;
  }
}
