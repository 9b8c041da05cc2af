import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Files below a directory that hold a text in the clear, each with that text. */
export async function holding(directory: string, texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    // What is open in the lake is replaced meanwhile.
    const bytes = await readFile(join(entry.parentPath, entry.name)).catch(gone);
    for (const text of texts) if (bytes.includes(text)) found.push(`${entry.name}: ${text}`);
  }
  return found;
}

function gone(error: NodeJS.ErrnoException): string {
  if (error.code === "ENOENT") return "";
  throw error;
}
