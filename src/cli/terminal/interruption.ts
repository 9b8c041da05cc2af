import type { Releases } from "./releases.js";

/** Thrown where Ctrl-C or SIGTERM came before there was a run to leave. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";
}

/** A signal that Ctrl-C and SIGTERM abort, so that a command can end in order; the second one ends it at once. */
export function interruption(releases: Releases): AbortController {
  const controller = new AbortController();
  const abort = () =>
    controller.abort(
      new InterruptedError("stopped before a run was under way. Nothing was started or changed by it"),
    );
  process.once("SIGINT", abort);
  process.once("SIGTERM", abort);
  releases.add(() => {
    process.off("SIGINT", abort);
    process.off("SIGTERM", abort);
  });
  return controller;
}

/** Settles when a signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
