import type { TableSpec } from "../../lake/delta/delta-schema.js";
import type { Markup } from "../../pages/parts.js";
import type { RunsView } from "../runs/view.js";
import type { Terminal } from "../terminal/terminal.js";

/** What pages read from: the lake and Temporal, read-only. */
export interface BoardView extends RunsView {
  readonly terminal: Terminal;
}

/** What is asked of a page: parts of its path, and filters. */
export interface Asked {
  readonly part: (name: string) => string;
  readonly filter: (name: string) => string | undefined;
}

/** A page that was read: `model` is what `--json` prints, `body` shows the same. */
export interface ReadPage {
  readonly title: string;
  readonly model: unknown;
  readonly body: Markup;
}

export interface Page {
  /** `/runs/:run` */
  readonly path: string;
  /** In the navigation; left out: it is reached from another page. */
  readonly name?: string;
  /** What it reads by SQL: for each of them a log is read. */
  readonly tables: readonly TableSpec[] | ((asked: Asked) => readonly TableSpec[]);
  /** @throws InputError where there is nothing of what is asked for */
  read(view: BoardView, asked: Asked): Promise<ReadPage>;
}

interface DescribedPage<Model> extends Pick<Page, "tables"> {
  /** Its name in the navigation too, or the title of a page that is reached from another one. */
  readonly title: string | ((model: Model) => string);
  read(view: BoardView, asked: Asked): Promise<Model>;
  draw(model: Model, asked: Asked): Markup;
}

/** Puts reading and drawing together, so that a page shows nothing that its model does not have. */
export function page<Model>(path: string, { title, draw, ...page }: DescribedPage<Model>): Page {
  const read = async (view: BoardView, asked: Asked) => {
    const model = await page.read(view, asked);
    return {
      title: typeof title === "string" ? title : title(model),
      model,
      body: draw(model, asked),
    };
  };
  return { path, ...(typeof title === "string" && { name: title }), tables: page.tables, read };
}

/** Finds the page of a path; undefined where there is none. */
export function findPage(
  pages: readonly Page[],
  path: string,
  filters: URLSearchParams,
): { readonly page: Page; readonly asked: Asked } | undefined {
  const given = path.split("/").map(decoded);
  for (const page of pages) {
    const named = page.path.split("/");
    const isPart = (part: string, at: number) => part.startsWith(":") || part === given[at];
    if (named.length !== given.length || !named.every(isPart)) continue;
    const part = (name: string) => given[named.indexOf(`:${name}`)] ?? "";
    return { page, asked: { part, filter: (name) => filters.get(name) || undefined } };
  }
  return undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
