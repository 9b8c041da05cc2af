import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Copies the compiled program into a directory, with a workflow bundle that differs and does the same; its script. */
export async function anotherBuild(directory: string): Promise<string> {
  const bundle = join("dist", "workflow-bundle.js");
  await mkdir(join(directory, "dist"), { recursive: true });
  for (const part of ["bin", "package.json", "dist/src", "dist/sandbox"])
    await cp(join(ROOT, part), join(directory, part), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(directory, "node_modules"));
  const text = await readFile(join(ROOT, bundle), "utf8");
  const changed = text.replace("\n//# sourceMappingURL=", "\n// another build\n//# sourceMappingURL=");
  if (changed === text) throw new Error("the bundle has no map at its end");
  await writeFile(join(directory, bundle), changed);
  return join(directory, "bin", "nightledger.js");
}
