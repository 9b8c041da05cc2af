/** Ctrl-C or SIGTERM came before a run had started. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";
}

export interface Interruptible {
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  /** Run at the command's end, also if it fails. */
  readonly releases: Releases;
}

/** Ctrl-C or SIGTERM aborts the work, which then releases what it holds; a second one ends the process. */
export async function withInterruption<R>(work: (held: Interruptible) => Promise<R>): Promise<R> {
  const releases = new Releases();
  const controller = new AbortController();
  const abort = () =>
    controller.abort(new InterruptedError("stopped before a run had started. Nothing was started"));
  process.once("SIGINT", abort);
  process.once("SIGTERM", abort);
  releases.add(() => {
    process.off("SIGINT", abort);
    process.off("SIGTERM", abort);
  });
  let result: R;
  try {
    result = await work({ signal: controller.signal, releases });
  } catch (error) {
    // The first error counts.
    await releases.run().catch(() => undefined);
    throw error;
  }
  await releases.run();
  return result;
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Steps to run last in, first out, each even when another fails. */
export class Releases {
  readonly #steps: (() => Promise<void> | void)[] = [];

  add(step: () => Promise<void> | void): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    let failure: unknown;
    for (const step of this.#steps.splice(0).reverse()) {
      try {
        await step();
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
  }
}
