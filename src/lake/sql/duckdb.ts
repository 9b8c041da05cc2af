import { AsyncLocalStorage } from "node:async_hooks";
import { type DuckDBConnection, DuckDBInstance, version } from "@duckdb/node-api";
import { inQueue } from "../queue.js";
import { createSession, type SqlSession } from "./duckdb-session.js";
import { Scratch } from "./scratch.js";

interface DuckDbOptions {
  /** For the spill and scratch files of all engines. */
  readonly scratchDirectory: string;
  readonly memoryLimitMb?: number | undefined;
  readonly threads?: number;
}

export function duckdbVersion(): string {
  return version().replace(/^v/, "");
}

/** The SQL engine of a process (docs/inside/rules.md, "Load"). */
export interface DuckDb {
  /** It exists once the engine is open or {@link makeScratch} was called. */
  readonly scratchDirectory: string;
  makeScratch(): Promise<void>;
  /**
   * Runs `work` alone on its own connection, first come first served: concurrent loads would fail together at the memory
   * limit. Its temp tables end with it; a nested call runs at once.
   */
  exclusive<T>(work: (sql: SqlSession) => Promise<T>, atThreads?: number): Promise<T>;
  /** A connection for reading, outside the queue; the caller closes it. */
  connect(): Promise<DuckDBConnection>;
  /** Waits for running work; a later call opens the engine again. */
  close(): Promise<void>;
}

const FLUSHED_ABOVE = "16MB";

export function createDuckDb(options: DuckDbOptions): DuckDb {
  const { memoryLimitMb = 512, threads = 2 } = options;
  const scratch = new Scratch(options.scratchDirectory);
  const running = new AsyncLocalStorage<SqlSession>();
  let opening: Promise<DuckDBInstance> | undefined;
  let threadsNow = threads;
  // No two engines share a scratch directory: its path names the queue.
  const exclusively = <T>(work: () => Promise<T>) => inQueue(scratch.files, work);

  async function open(): Promise<DuckDBInstance> {
    const instance = await DuckDBInstance.create(":memory:", {
      memory_limit: `${memoryLimitMb}MB`,
      threads: String(threads),
      temp_directory: scratch.spill,
      preserve_insertion_order: "false",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      allow_community_extensions: "false",
      // The user's own secrets are in the home directory.
      allow_persistent_secrets: "false",
      // Returns freed memory at once, 50 MB at the peak.
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

  async function withSession<T>(work: (sql: SqlSession) => Promise<T>, atThreads: number): Promise<T> {
    const connection = await connect();
    try {
      const sql = createSession(connection);
      // A setting of the whole engine, which few sections change.
      if (atThreads !== threadsNow) await sql.run(`set threads = ${atThreads}`);
      threadsNow = atThreads;
      return await running.run(sql, () => work(sql));
    } finally {
      connection.closeSync();
    }
  }

  return {
    scratchDirectory: scratch.files,
    makeScratch: () => scratch.open(),
    connect,
    exclusive(work, atThreads = threads) {
      const outer = running.getStore();
      return outer === undefined ? exclusively(() => withSession(work, atThreads)) : work(outer);
    },
    close: () =>
      exclusively(async () => {
        (await opening)?.closeSync();
        opening = undefined;
        await scratch.close();
      }),
  };
}

/** A smaller part may succeed (docs/inside/rules.md, "Load"). */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && /out of memory/i.test(error.message);
}
