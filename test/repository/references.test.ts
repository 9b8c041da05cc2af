import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { anchors, headings, links, references } from "./markdown.js";
import { ROOT, read, repositoryFiles } from "./source-tree.js";

const PROGRAM_FILE = /`((?:src|test|sandbox|tools|deploy|dbt)\/[\w./-]+)`/g;
const DOCUMENT = /[\w.-]+(?:\/[\w.-]+)*\.md\b/g;

const texts = repositoryFiles()
  .map((path) => ({ path, text: read(path) }))
  .filter(({ text }) => !text.includes("\0"));
const documents = repositoryFiles().filter((path) => path.endsWith(".md"));

/** Whether a word is the path of a document of the repository, or the end of one. */
function isDocument(word: string): boolean {
  const path = word.replace(/^(\.\.?\/)+/, "");
  return documents.some((document) => document === path || document.endsWith(`/${path}`));
}

describe("references to documents", () => {
  it("no file names a document that is not in the repository", () => {
    const missing = texts.flatMap(({ path, text }) =>
      [...text.matchAll(DOCUMENT)].filter(([word]) => !isDocument(word)).map(([word]) => `${path}: ${word}`),
    );
    expect(missing).toEqual([]);
  });

  // A file that was moved, and the sentence about it was not.
  it("no document names a file of the program that is not in the repository", () => {
    const missing = documents.flatMap((path) =>
      [...read(path).matchAll(PROGRAM_FILE)].flatMap(([, file = ""]) =>
        existsSync(join(ROOT, file)) ? [] : [`${path}: ${file}`],
      ),
    );
    expect(missing).toEqual([]);
  });

  it("every heading that a reference names is on its page", () => {
    const found = texts.flatMap(({ path, text }) => references(text).map((to) => ({ from: path, ...to })));
    expect(found.length).toBeGreaterThan(100);
    const broken = found
      .filter(({ page, heading }) => !documents.includes(page) || !headings(page).includes(heading))
      .map(({ from, page, heading }) => `${from}: ${page}, "${heading}"`);
    expect(broken).toEqual([]);
  });

  it.each(documents)("the links of %s lead somewhere", (path) => {
    const broken = links(path).filter((target) => {
      const [file = "", anchor] = target.split("#");
      const found = file === "" ? path : posix.join(posix.dirname(path), file);
      if (!existsSync(join(ROOT, found))) return true;
      return anchor !== undefined && !anchors(found).has(anchor);
    });
    expect(broken).toEqual([]);
  });

  it.each(documents.filter((path) => path.startsWith("docs/")))("the headings of %s differ", (path) => {
    const all = headings(path);
    expect(all.filter((heading, at) => all.indexOf(heading) !== at)).toEqual([]);
  });
});
