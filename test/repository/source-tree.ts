import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

export function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** Every file that belongs to the repository: committed, or new and not ignored. */
export function repositoryFiles(): string[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return listed.split("\0").filter((path) => path !== "" && existsSync(join(ROOT, path)));
}

export function sourcesIn(...folders: readonly string[]): string[] {
  return repositoryFiles().filter(
    (path) => path.endsWith(".ts") && folders.some((folder) => path.startsWith(`${folder}/`)),
  );
}

export interface Import {
  readonly from: string;
  /** A path of the repository, or the name of a package or built-in. */
  readonly to: string;
  /** Gone when it runs. */
  readonly typeOnly: boolean;
}

const STATEMENT = /^(?:import|export)\s+(type\s+)?(?:([^;"']*?)\s+from\s+)?["']([^"']+)["']/gm;
const DYNAMIC = /\bimport\(\s*["']([^"']+)["']/g;

/** What a source imports; `import { type A }` alone counts as type-only. */
export function importsOf(path: string): Import[] {
  const text = read(path);
  const found: Import[] = [];
  for (const [, type, names = "", specifier = ""] of text.matchAll(STATEMENT)) {
    const inline = /^\{[^}]*\}$/s.test(names) && namesOf(names).every((name) => name.startsWith("type "));
    found.push({ from: path, to: resolved(path, specifier), typeOnly: type !== undefined || inline });
  }
  for (const [, specifier = ""] of text.matchAll(DYNAMIC)) {
    found.push({ from: path, to: resolved(path, specifier), typeOnly: false });
  }
  return found;
}

function namesOf(braces: string): string[] {
  return braces
    .slice(1, -1)
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function resolved(path: string, specifier: string): string {
  if (!specifier.startsWith(".")) return specifier;
  return posix.join(posix.dirname(path), specifier).replace(/\.js$/, ".ts");
}

const EXPORTED =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;
const NAMED = /^(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+["']([^"']+)["']/gm;
const WHOLE = /^(?:import\s+\*\s+as\s+\w+|export\s+\*)\s+from\s+["']([^"']+)["']/gm;

export function exportsOf(path: string): string[] {
  return [...read(path).matchAll(EXPORTED)].map(([, name = ""]) => name);
}

/** What a source takes from other sources: `path#name`, or `path#*` where it takes, or may take, everything. */
export function namesTakenBy(path: string): string[] {
  const text = read(path);
  const named = [...text.matchAll(NAMED)].flatMap(([, names = "", from = ""]) =>
    namesOf(`{${names}}`).map((name) => {
      const [own = ""] = name.replace(/^type /, "").split(" as ");
      return `${resolved(path, from)}#${own}`;
    }),
  );
  const whole = [...text.matchAll(WHOLE), ...text.matchAll(DYNAMIC)].map(
    ([, from = ""]) => `${resolved(path, from)}#*`,
  );
  return [...named, ...whole];
}
