import { counted } from "../../domain/words/counted.js";

/** What spreadsheets, pandas and R make of an id. */
const CHANGED =
  /^(\d([.,]\d+)?e[+-]\d+|\d+[.,]0|null|none|nan|nat|n\/?a|<na>|#n\/?[av]|#[a-z0/]+[!?]|#{3,})$/i;

export class ChangedIds {
  readonly #found = new Map<string, { readonly line: number; count: number }>();

  add(line: number, row: object): void {
    for (const [column, id] of Object.entries(row)) {
      if (!/_b?id$/.test(column) || !CHANGED.test(String(id ?? ""))) continue;
      const found = this.#found.get(column) ?? { line, count: 0 };
      found.count += 1;
      this.#found.set(column, found);
    }
  }

  warnings(): string[] {
    return [...this.#found].map(([column, { line, count }]) => {
      const look = counted(count, "id looks", "ids look");
      return `column ${column}: ${look} as a spreadsheet or pandas leaves them (1.2E+11, 12345.0, NULL, #N/A), first in line ${line}: compare with your own`;
    });
  }
}
