import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What a disk holds of an object whose last change was not synced; undefined where it has no such object. */
export interface UnsyncedNote {
  readonly key: string;
  readonly before: Buffer | undefined;
}

export interface UnsyncedNotes {
  /** Notes that a key is about to change; what was noted of it before stays. */
  note(key: string, before: () => Promise<Buffer | undefined>): Promise<void>;
  remove(keys: readonly string[]): Promise<void>;
  /** The same of every key below a prefix, also of those that were deleted long before. */
  removeBelow(prefix: string): Promise<void>;
}

/** Notes of a store that one process uses. */
export function notesInMemory(): UnsyncedNotes & { all(): UnsyncedNote[] } {
  const notes = new Map<string, UnsyncedNote>();
  return {
    note: async (key, before) => {
      if (!notes.has(key)) notes.set(key, { key, before: await before() });
    },
    remove: async (keys) => {
      for (const key of keys) notes.delete(key);
    },
    removeBelow: async (prefix) => {
      for (const key of [...notes.keys()].filter((one) => one.startsWith(prefix))) notes.delete(key);
    },
    all: () => [...notes.values()],
  };
}

interface NoteFile {
  readonly key: string;
  /** The last process that changed the object. */
  readonly pid: number;
  /** Base64; null where there was no such object. */
  readonly before: string | null;
}

/** Notes of a store that several processes use, in a directory that outlives them: one file a key. */
export function notesInDirectory(directory: string, pid = process.pid): UnsyncedNotes {
  const pathOf = (key: string) => join(directory, createHash("sha256").update(key).digest("hex"));
  return {
    async note(key, before) {
      const path = pathOf(key);
      const earlier = await readNote(path);
      if (earlier?.pid === pid) return;
      const held = earlier === undefined ? ((await before())?.toString("base64") ?? null) : earlier.before;
      const note: NoteFile = { key, pid, before: held };
      const draft = join(directory, `draft-${randomUUID()}`);
      await mkdir(directory, { recursive: true });
      await writeFile(draft, JSON.stringify(note));
      await rename(draft, path);
    },
    async remove(keys) {
      for (const key of keys) await rm(pathOf(key), { force: true });
    },
    async removeBelow(prefix) {
      for (const path of await notesIn(directory)) {
        if ((await readNote(path))?.key.startsWith(prefix)) await rm(path, { force: true });
      }
    },
  };
}

/** Takes out of a directory the notes of objects that one of these processes changed last. */
export async function takeNotes(directory: string, pids: ReadonlySet<number>): Promise<UnsyncedNote[]> {
  const notes: UnsyncedNote[] = [];
  for (const path of await notesIn(directory)) {
    const note = await readNote(path);
    if (note === undefined || !pids.has(note.pid)) continue;
    await rm(path, { force: true });
    const before = note.before === null ? undefined : Buffer.from(note.before, "base64");
    notes.push({ key: note.key, before });
  }
  return notes;
}

async function notesIn(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  return names.filter((name) => !name.startsWith("draft-")).map((name) => join(directory, name));
}

async function readNote(path: string): Promise<NoteFile | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as NoteFile);
}
