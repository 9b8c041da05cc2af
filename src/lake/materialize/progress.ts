/** How far materializing has come, in rows to be written; `total` is an upper bound. */
export interface MaterializeProgress {
  readonly rows: number;
  readonly total: number;
}

export interface WriteOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: MaterializeProgress) => void;
}

/** Counts the rows written and tells them to whoever listens. */
export class Progress {
  readonly #total: number;
  readonly #options: WriteOptions;
  #rows = 0;

  constructor(total: number, options: WriteOptions) {
    this.#total = total;
    this.#options = options;
  }

  /** Runs one piece of work, unless the call is aborted by now. */
  async of(rows: number, work: () => Promise<void>): Promise<void> {
    this.#options.signal?.throwIfAborted();
    await work();
    this.#rows += rows;
    this.#options.onProgress?.({ rows: this.#rows, total: this.#total });
  }
}
