type Fields = Readonly<Record<string, unknown>>;

/**
 * Takes the fields of an answer that have columns, and notes what the columns can't say: which fields were left out,
 * which were null, and which have no column.
 */
export class TakenFields {
  readonly #absent: string[] = [];
  readonly #nulls: string[] = [];
  readonly #others: [path: string, value: unknown][] = [];

  /**
   * Gives the values of an object's fields. Where the object itself is not there, no field is noted: the note is of
   * the object.
   *
   * @param prefix the path of the object, such as `details.tin.`
   */
  take<N extends string>(object: unknown, names: readonly N[], prefix = ""): Record<N, unknown> {
    const given = (object ?? undefined) as Fields | undefined;
    const values = names.map((name) => {
      const value = given !== undefined && Object.hasOwn(given, name) ? given[name] : undefined;
      if (given !== undefined && value === undefined) this.#absent.push(prefix + name);
      if (value === null) this.#nulls.push(prefix + name);
      return [name, value ?? null] as const;
    });
    const others = Object.keys(given ?? {}).filter((name) => !(names as readonly string[]).includes(name));
    for (const name of others.sort()) this.#others.push([prefix + name, given?.[name]]);
    return Object.fromEntries(values) as Record<N, unknown>;
  }

  /** The columns that every table of KYB exports ends with. */
  get columns() {
    return {
      absent: JSON.stringify(this.#absent),
      nulls: JSON.stringify(this.#nulls),
      other_fields: this.#others.length === 0 ? null : JSON.stringify(Object.fromEntries(this.#others)),
    };
  }
}
