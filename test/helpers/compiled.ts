import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vitest/config";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** What Node imports itself (`server.deps.external`). */
export const COMPILED = [/\/dist\/(src|sandbox|bench)\//];
let isCompiled = false;
const SOURCE = /^(src|sandbox|bench)\/.*\.js$/;

/**
 * Compiles what changed, then lets tests import the compiled sources: Node reads those once a process, where Vite would
 * transform each of them. Test files themselves are Vite's.
 *
 * @throws where the compiler finds an error, which it has printed
 */
export function compiled(): Plugin {
  if (!isCompiled) {
    const compiler = [`${ROOT}node_modules/typescript/bin/tsc`, "-p", `${ROOT}tsconfig.json`];
    execFileSync(process.execPath, compiler, { stdio: "inherit" });
    isCompiled = true;
  }
  return {
    name: "compiled",
    enforce: "pre",
    resolveId(source, importer) {
      if (importer === undefined || !source.startsWith(".")) return undefined;
      const path = fileURLToPath(new URL(source, `file://${importer}`)).slice(ROOT.length);
      return SOURCE.test(path) ? `${ROOT}dist/${path}` : undefined;
    },
  };
}
