import type { TableSpec } from "../../lake/delta/delta-schema.js";
import type { Markup } from "../../pages/parts.js";
import type { RunsView } from "../runs/view.js";
import type { Terminal } from "../terminal/terminal.js";

/** Lake and Temporal, read-only. */
export interface BoardView extends RunsView {
  readonly terminal: Terminal;
}

export interface Asked {
  readonly part: (name: string) => string;
  readonly filter: (name: string) => string | undefined;
}

/** `model` is what `--json` prints, `body` shows the same. */
export interface ReadPage {
  readonly title: string;
  readonly model: unknown;
  readonly body: Markup;
}

export interface Page {
  /** `/runs/:run` */
  readonly path: string;
  /** In the navigation. */
  readonly name?: string;
  /** Those that it reads by SQL. */
  readonly tables: readonly TableSpec[] | ((asked: Asked) => readonly TableSpec[]);
  /** @throws InputError where there is nothing to show */
  read(view: BoardView, asked: Asked): Promise<ReadPage>;
}

interface DescribedPage<Model> extends Pick<Page, "tables"> {
  /** Also its name in the navigation. */
  readonly title: string | ((model: Model) => string);
  read(view: BoardView, asked: Asked): Promise<Model>;
  draw(model: Model, asked: Asked): Markup;
}

/** A page shows nothing that its model does not have. */
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
