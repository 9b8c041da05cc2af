import { AsyncLocalStorage } from "node:async_hooks";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { createSession, type SqlSession } from "./duckdb-session.js";
import { Scratch } from "./scratch.js";

interface DuckDbOptions {
  /** What engines share for their spill and scratch files, each in a directory of its own; made when first needed. */
  readonly scratchDirectory: string;
  /** Makes the directory above it, where that has modes of its own. */
  readonly makeParent?: () => Promise<unknown>;
  readonly memoryLimitMb?: number;
  readonly threads?: number;
}

/** The SQL engine of one process (docs/inside/architecture.md, "Load"). */
export interface DuckDb {
  /** Where this engine's scratch files lie; there once it is open, or {@link makeScratch} was called. */
  readonly scratchDirectory: string;
  makeScratch(): Promise<void>;
  /**
   * Runs `work` alone on a connection of its own, first come first served: concurrent loads would share one
   * memory limit and fail together. Its temp tables go with it. A call from within runs at once.
   *
   * @param atThreads threads for this work, where they are fewer than the engine's own.
   */
  exclusive<T>(work: (sql: SqlSession) => Promise<T>, atThreads?: number): Promise<T>;
  /** A connection outside of the queue, for reading; whoever asks closes it. */
  connect(): Promise<DuckDBConnection>;
  /** Waits for what is running and frees the engine; a later call opens it anew. */
  close(): Promise<void>;
}

const FLUSHED_ABOVE = "16MB";

/** The engine, opened by its first use. */
export function createDuckDb(options: DuckDbOptions): DuckDb {
  const { memoryLimitMb = 128, threads = 2 } = options;
  const scratch = new Scratch(options.scratchDirectory, options.makeParent);
  const held = new AsyncLocalStorage<SqlSession>();
  let opening: Promise<DuckDBInstance> | undefined;
  let threadsNow = threads;
  let last: Promise<unknown> = Promise.resolve();

  async function open(): Promise<DuckDBInstance> {
    const instance = await DuckDBInstance.create(":memory:", {
      memory_limit: `${memoryLimitMb}MB`,
      threads: String(threads),
      temp_directory: scratch.spill,
      preserve_insertion_order: "false",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      allow_community_extensions: "false",
      // Those of the user's own DuckDB lie in the home directory.
      allow_persistent_secrets: "false",
      // What a statement frees goes back to the system at once: kept, it costs the process 50 MB at its peak.
      allocator_flush_threshold: FLUSHED_ABOVE,
      allocator_bulk_deallocation_flush_threshold: FLUSHED_ABOVE,
    });
    threadsNow = threads;
    const connection = await instance.connect();
    await connection.run("set global TimeZone = 'UTC'");
    connection.closeSync();
    return instance;
  }

  async function connect(): Promise<DuckDBConnection> {
    await scratch.open();
    opening ??= open().catch((error) => {
      opening = undefined;
      throw error;
    });
    return (await opening).connect();
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  }

  async function withSession<T>(work: (sql: SqlSession) => Promise<T>, atThreads: number): Promise<T> {
    const connection = await connect();
    try {
      const sql = createSession(connection);
      // A setting of the engine: the next section that wants another number sets it, and most want the same.
      if (atThreads !== threadsNow) await sql.run(`set threads = ${atThreads}`);
      threadsNow = atThreads;
      return await held.run(sql, () => work(sql));
    } finally {
      connection.closeSync();
    }
  }

  return {
    scratchDirectory: scratch.files,
    makeScratch: () => scratch.open(),
    connect,
    exclusive(work, atThreads = threads) {
      const outer = held.getStore();
      return outer === undefined ? inTurn(() => withSession(work, atThreads)) : work(outer);
    },
    close: () =>
      inTurn(async () => {
        (await opening)?.closeSync();
        opening = undefined;
        await scratch.close();
      }),
  };
}

/**
 * Whether SQL gave up for want of memory, so that less at once may succeed (docs/inside/architecture.md, "Load").
 */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && /out of memory/i.test(error.message);
}
