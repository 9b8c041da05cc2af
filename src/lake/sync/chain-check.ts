import { FAILURE_TYPES, InputError } from "../../domain/failures.js";
import { CERTIFICATE_FIELDS } from "../../domain/sync/certificate.js";
import { isOutOfMemory } from "../sql/duckdb.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { sqlText } from "../sql/duckdb-sql.js";
import { textOf } from "../sql/duckdb-values.js";

export interface Problem {
  readonly table: string;
  readonly link_id: string | null;
  readonly run_id: string | null;
  readonly what: string;
}

export interface ChainReport {
  readonly links: number;
  readonly certificates: number;
  readonly rows: number;
  /** Of runs under way. */
  readonly pending: number;
  /** Their rows were erased with a person. */
  readonly forgotten: number;
  /** Retention ended rows of them; `purges` proves the rest. */
  readonly purged: number;
  /** The first ones, by link. */
  readonly problems: readonly Problem[];
  readonly problemsTotal: number;
}

const MOST_NAMED = 20;

export const CHANGED_ROWS = "its rows in the feed are not those that were committed: rows_sha256 is another";

const COVERED = CERTIFICATE_FIELDS.map((name) => `'${name}=' || coalesce(${name}::varchar, '')`).join(", ");

/** Tables with one row per certificate, which SQL may spill to disk. */
const PREPARED = [
  "create temp table ended as select distinct run_id from runs",
  `create temp table fed as
    select link_id, run_id, sum(n)::bigint as rows, count(*) as sequences, sum(created)::bigint as created,
      sum(updated)::bigint as updated, sum(removed)::bigint as removed, min(sequence) as sequence_from,
      max(sequence) as sequence_to, min(low) as low, max(high) as high
    from (
      select link_id, run_id, sequence, count(*) as n, count(*) filter (change_type = 'created') as created,
        count(*) filter (change_type = 'updated') as updated, count(*) filter (change_type = 'removed') as removed,
        min(generation) as low, max(generation) as high
      from transaction_changes group by all
    ) group by all`,
  `create temp table purged as
    select distinct link_id, run_id
    from purges p left join fed f using (link_id, run_id) left join hashed h using (link_id, run_id)
    where p.rows = coalesce(f.rows, 0) and p.rows_sha256 is not distinct from h.rows_sha256`,
  `create temp table certs as
    select link_id, run_id, generation, created, updated, removed, quarantined, sequence_from, sequence_to,
      rows_sha256, certificate, certificate_prev, created + updated + removed as rows,
      certificate = sha256(concat_ws(chr(10), ${COVERED}, '')) as is_true,
      coalesce(sequence_to < erased.next_sequence, false) as is_forgotten,
      purged.run_id is not null as is_purged,
      is_forgotten or is_purged as is_erased
    from link_syncs left join erased using (fp_id, link_id) left join purged using (link_id, run_id)
    where certificate is not null`,
  `create temp table tips as
    select c.* from certs c anti join certs n on n.link_id = c.link_id and n.certificate_prev = c.certificate`,
  // A run writes its own row after all its rows of link_syncs.
  `create temp table pending as
    select h.link_id, h.run_id from heads h left join tips t on t.link_id = h.link_id
    where h.run_id not in (from ended) and h.certificate_prev is not distinct from t.certificate`,
];

/** Each finds one kind of fault: link, run, rank and description. */
const PROBLEMS = [
  `select link_id, run_id, 1 as rank, 'its certificate is not the hash of its fields: a field was changed' as what
    from certs where not is_true`,
  `select c.link_id, c.run_id, 2, 'the certificate before it, ' || c.certificate_prev || ', is not in link_syncs'
    from certs c anti join certs b on b.link_id = c.link_id and b.certificate = c.certificate_prev
    where c.certificate_prev is not null`,
  `select link_id, min(run_id), 2, count(*) || case when certificate_prev is null then ' certificates begin its chain'
      else ' certificates follow ' || certificate_prev end
    from certs group by link_id, certificate_prev having count(*) > 1`,
  `select c.link_id, c.run_id, 3, format('the feed has {} created, {} updated, {} removed of it; its certificate says {}, {}, {}',
      coalesce(f.created, 0), coalesce(f.updated, 0), coalesce(f.removed, 0), c.created, c.updated, c.removed)
    from certs c left join fed f using (link_id, run_id)
    where not is_erased and (c.created, c.updated, c.removed, c.rows) is distinct from
      (coalesce(f.created, 0), coalesce(f.updated, 0), coalesce(f.removed, 0), coalesce(f.rows, 0))`,
  `select c.link_id, c.run_id, 3, format('the feed has {} rows of it, which were erased with the person that they are about; forget the person again', f.rows)
    from certs c join fed f using (link_id, run_id) where is_forgotten`,
  `select c.link_id, c.run_id, 4, case
      when f.sequences <> f.rows then 'the feed has a sequence of it twice'
      when f.low <> c.generation or f.high <> c.generation then 'its rows in the feed are of another generation'
      else format('its rows have the sequences {} to {}; its certificate says {} to {}',
        f.sequence_from, f.sequence_to, coalesce(c.sequence_from::varchar, 'none'), coalesce(c.sequence_to::varchar, 'none')) end
    from certs c join fed f using (link_id, run_id)
    where not is_erased and (f.sequences <> f.rows or f.low <> c.generation or f.high <> c.generation
      or (c.sequence_from, c.sequence_to) is distinct from (f.sequence_from, f.sequence_to))`,
  `select c.link_id, c.run_id, 4, ${sqlText(CHANGED_ROWS)}
    from certs c join fed f using (link_id, run_id) left join hashed h using (link_id, run_id)
    where not is_erased and c.rows_sha256 is distinct from h.rows_sha256 and f.sequences = f.rows
      and (c.rows, c.generation, c.generation, c.sequence_from, c.sequence_to)
        = (f.rows, f.low, f.high, f.sequence_from, f.sequence_to)`,
  // Only rows in quarantine have a sequence but no row in the feed.
  `select link_id, run_id, 5, format('its sequences are {} to {}, after {}: not as many as were delivered',
      sequence_from, sequence_to, before)
    from (
      select *, coalesce(lag(sequence_to) over (partition by link_id order by sequence_from), 0) as before,
        sum(quarantined) over (partition by link_id) as quarantined_ever
      from certs where sequence_from is not null
    ) where sequence_from - before - 1 not between 0 and quarantined_ever
      or sequence_to - sequence_from + 1 not between rows and rows + quarantined`,
  `select c.link_id, c.run_id, 5, 'its sequences do not come after those of the certificate before it'
    from certs c join certs b on b.link_id = c.link_id and b.certificate = c.certificate_prev
    where c.sequence_from <= b.sequence_to`,
  `select f.link_id, f.run_id, 6, 'the feed has ' || f.rows || ' rows of it, and link_syncs has no certificate for them'
    from fed f anti join certs c using (link_id, run_id) anti join pending p using (link_id, run_id)`,
  `select link_id, null, 7, 'it has certificates, but the feed''s log has no checkpoint of it'
    from (select distinct link_id from certs) anti join heads using (link_id)`,
  `select h.link_id, h.run_id, 7, case
      when not h.is_true then 'its checkpoint in the feed''s log does not match its head'
      when c.certificate is null then 'its checkpoint in the feed''s log names ' || h.head || ', which is not in link_syncs'
      when t.certificate is null then 'its checkpoint in the feed''s log names ' || h.head || ', but link_syncs continues after it'
      else format('its checkpoint in the feed''s log continues at sequence {}; its certificates end before {}',
        h.next_sequence, s.next_sequence) end
    from heads h left join certs c on c.link_id = h.link_id and c.certificate = h.head
      left join tips t on t.link_id = h.link_id and t.certificate = h.head
      left join (
        select link_id, 1 + sum(rows + quarantined)::bigint as next_sequence from certs group by link_id
      ) s on s.link_id = h.link_id
    where not h.is_true
      or (h.link_id not in (select link_id from pending)
        and (t.certificate is null or h.next_sequence <> s.next_sequence))`,
];

/**
 * Checks the certificates of `link_syncs` against their chains, the feed and its heads.
 * @param sql has the tables `runs`, `link_syncs`, `transaction_changes` and `purges`, read in this order, `heads`, `erased`
 * and `hashed`
 */
export async function checkChains(sql: SqlSession): Promise<ChainReport> {
  for (const statement of PREPARED) await sql.run(statement);
  await sql.run(`create temp table problems as ${PROBLEMS.join("\nunion all\n")}`);
  const [counts] = await sql.rowsAtOnce(`select (select count(distinct link_id) from certs) as links,
    (select count(*) from certs) as certificates, (select coalesce(sum(rows), 0)::bigint from fed) as rows,
    (select count(*) from pending) as pending, (select count(*) from certs where is_forgotten) as forgotten,
    (select count(*) from certs where is_purged) as purged,
     (select count(*) from problems) as problems`);
  const found = await sql.rowsAtOnce(
    `select link_id, run_id, what from problems order by link_id, rank, run_id, what limit ${MOST_NAMED}`,
  );
  return {
    links: Number(counts?.links),
    certificates: Number(counts?.certificates),
    rows: Number(counts?.rows),
    pending: Number(counts?.pending),
    forgotten: Number(counts?.forgotten),
    purged: Number(counts?.purged),
    problems: found.map(({ link_id, run_id, what }) => ({
      table: "link_syncs",
      link_id: String(link_id),
      run_id: textOf(run_id),
      what: String(what),
    })),
    problemsTotal: Number(counts?.problems),
  };
}

/** All problems are counted, and the first ones named. */
export class Problems {
  readonly first: Problem[] = [];
  total = 0;

  get room(): number {
    return MOST_NAMED - this.first.length;
  }

  add(found: readonly Problem[], total = found.length): void {
    this.total += total;
    this.first.push(...found.slice(0, this.room));
  }

  say(table: string, what: string, run_id: string | null = null): void {
    this.add([{ table, link_id: null, run_id, what }]);
  }

  /** A check that fails, as over a file that is missing or no longer Parquet, is a problem of the table. */
  async during(table: string, check: () => Promise<void>, fault = "it can't be checked"): Promise<void> {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof Error) || error.name === FAILURE_TYPES.transient || isOutOfMemory(error))
        throw error;
      const words = error.message.split("\n")[0];
      this.say(table, error instanceof InputError ? error.message : `${fault}: ${words}`);
    }
  }
}
