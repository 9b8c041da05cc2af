import { InputError } from "../../../domain/failures.js";
import type { Person } from "../../../domain/tables/person.js";
import type { TableSpec } from "../../delta/delta-schema.js";
import { type LakeReader, readTables } from "../../query/query-views.js";
import { sqlList, sqlText } from "../../sql/duckdb-sql.js";

/** Whether a table has users with their external ids: a business or a bank link has one of its own. */
export function namesPersons({ name, columns }: TableSpec): boolean {
  const isOther = /^(business_insights|bank_links)/.test(name);
  return !isOther && ["fp_id", "external_id"].every((one) => columns.some((column) => column.name === one));
}

export function unnamedRows(externalIds: readonly string[]): string {
  return `fp_id is null and external_id in ${sqlList(externalIds)}`;
}

/** Finds a person by `fp_id` or external id. @throws InputError for an external id of several users */
export async function personOf(lake: LakeReader, tables: readonly TableSpec[], id: string): Promise<Person> {
  const naming = tables.filter(namesPersons);
  const pairs = naming.map(({ name }) => `select fp_id, external_id from ${name} where fp_id is not null`);
  return readTables(lake, naming, async (sql) => {
    await sql.run(`create temp view customers as from onboardings where coalesce(kind, 'user') = 'user'`);
    await sql.run(`create temp table named as ${pairs.join(" union ")} union
      select e.fp_id, c.external_id from webhook_events e join customers c using (onboarding_id)`);
    const users =
      await sql.rows(`select distinct fp_id from named where ${sqlText(id)} in (fp_id, external_id)
      order by fp_id <> ${sqlText(id)}, fp_id`);
    const fpId = String(users[0]?.fp_id ?? id);
    if (fpId !== id && users.length > 1) {
      const names = users.map(({ fp_id }) => fp_id).join(", ");
      throw new InputError(
        `${id} is the external id of ${names}. Nothing was erased. Give the fp_id of one.`,
      );
    }
    const own = await sql.rows(`select external_id from named group by external_id
      having external_id is not null and count(distinct fp_id) = 1 and min(fp_id) = ${sqlText(fpId)}`);
    const externalIds = [...new Set([id, ...own.map(({ external_id }) => String(external_id))])];
    const lines = await sql.rows(`select distinct batch_id, line::int as line, onboarding_id from customers
      where fp_id = ${sqlText(fpId)} or (${unnamedRows(externalIds)})`);
    return { fpId, externalIds, lines: lines as unknown as Person["lines"] };
  });
}
