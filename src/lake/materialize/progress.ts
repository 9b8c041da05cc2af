/** How many rows are written, and an upper bound of all rows to write. */
export interface MaterializeProgress {
  readonly rows: number;
  readonly total: number;
}

export interface WriteOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: MaterializeProgress) => void;
}

export class Progress {
  #rows = 0;

  constructor(
    private readonly total: number,
    private readonly options: WriteOptions,
  ) {}

  async of<R>(rows: number, work: () => Promise<R>): Promise<R> {
    this.options.signal?.throwIfAborted();
    const done = await work();
    this.#rows += rows;
    this.options.onProgress?.({ rows: this.#rows, total: this.total });
    return done;
  }
}
