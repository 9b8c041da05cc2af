import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

type Closable = { release(): unknown } | { close(): unknown };

/** Something that each test of a file opens anew and that is closed behind it: what is read of it is what this test has. */
export function eachTest<T extends Closable>(open: () => T | Promise<T>): T {
  return opened(open, beforeEach, afterEach);
}

/** The same, once for all tests of a file. */
export function eachFile<T extends Closable>(open: () => T | Promise<T>): T {
  return opened(open, beforeAll, afterAll);
}

/** An empty directory, to be used by {@link eachTest}. */
export async function tempDirectory() {
  const path = await realpath(await mkdtemp(join(tmpdir(), "nightledger-test-")));
  return { path, release: () => rm(path, { recursive: true, force: true }) };
}

type Hook = (work: () => Promise<void>) => void;

function opened<T extends Closable>(open: () => T | Promise<T>, before: Hook, after: Hook): T {
  let current: T | undefined;
  before(async () => {
    current = await open();
  });
  after(async () => {
    if (current === undefined) return;
    await ("release" in current ? current.release() : current.close());
    current = undefined;
  });
  const now = () => {
    if (current === undefined) throw new Error("it is open only while a test or its hooks run");
    return current;
  };
  return new Proxy({} as T, {
    get(_, key) {
      const value = Reflect.get(now(), key);
      return typeof value === "function" ? value.bind(now()) : value;
    },
    set: (_, key, value) => Reflect.set(now(), key, value),
    ownKeys: () => Reflect.ownKeys(now()),
    getOwnPropertyDescriptor(_, key) {
      const found = Reflect.getOwnPropertyDescriptor(now(), key);
      return found && { ...found, configurable: true };
    },
  });
}
