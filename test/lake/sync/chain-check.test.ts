import { beforeAll, expect, test } from "vitest";
import { CERTIFICATE_FIELDS, type CertificateFields } from "../../../src/domain/sync/certificate.js";
import { createDuckDb } from "../../../src/lake/sql/duckdb.js";
import type { SqlSession } from "../../../src/lake/sql/duckdb-session.js";
import { sqlText } from "../../../src/lake/sql/duckdb-sql.js";
import { type ChainReport, checkChains } from "../../../src/lake/sync/chain-check.js";
import { certificateOf } from "../../../src/lake/sync/link-checkpoint.js";
import { eachFile, tempDirectory } from "../../helpers/each-test.js";

const directoryOf = eachFile(tempDirectory);
const duckdb = eachFile(() => createDuckDb({ scratchDirectory: directoryOf.path }));

type Certified = CertificateFields & { readonly certificate: string };

/** One night of a link: three changes, or two with one in quarantine between them. */
function night(run_id: string, link_id: string, from: number, before: string | null): Certified {
  const quarantined = before === null ? 0 : 1;
  const fields: CertificateFields = {
    run_id,
    link_id,
    fp_id: `user ${link_id}`,
    generation: 1,
    cursor_in: before,
    cursor_out: `c-${run_id}`,
    pages: 1,
    created: 2 - quarantined,
    updated: 1,
    removed: 0,
    quarantined,
    sequence_from: from,
    sequence_to: from + 2,
    pages_sha256: "p",
    rows_sha256: `rows of ${link_id} in ${run_id}`,
    certificate_prev: before,
  };
  return { ...fields, certificate: certificateOf(fields) };
}

function nights(link: string): readonly [Certified, Certified] {
  const first = night("r1", link, 1, null);
  return [first, night("r2", link, 4, first.certificate)];
}

const CERTIFICATE_COLUMNS = [...CERTIFICATE_FIELDS, "certificate"] as const;
const NUMBERS = /^(generation|pages|created|updated|removed|quarantined|sequence_\w+)$/;
const COLUMNS = CERTIFICATE_COLUMNS.map((name) => `${name} ${NUMBERS.test(name) ? "bigint" : "varchar"}`);

const listed = (rows: readonly string[]) => rows.map((row) => `(${row})`).join(", ");

/** Links and two nights of each, as runs leave them. */
async function writeLake(sql: SqlSession, links: readonly string[]): Promise<void> {
  const all = links.flatMap(nights);
  const certificates = all.map((fields) =>
    CERTIFICATE_COLUMNS.map((name) => (fields[name] === null ? "null" : sqlText(`${fields[name]}`))).join(
      ", ",
    ),
  );
  const rows = all.flatMap(({ run_id, link_id, sequence_from, created, updated, quarantined }) =>
    Array.from({ length: created + updated }, (_, n) => {
      const change = n < created ? "created" : "updated";
      return `'${link_id}', '${run_id}', ${(sequence_from ?? 0) + n * (1 + quarantined)}, '${change}', 1`;
    }),
  );
  const hashes = all.map((fields) => `'${fields.link_id}', '${fields.run_id}', '${fields.rows_sha256}'`);
  const heads = all
    .filter(({ run_id }) => run_id === "r2")
    .map(
      ({ link_id, certificate, certificate_prev }) =>
        `'${link_id}', 'r2', '${certificate}', '${certificate_prev}', 7, true`,
    );
  await sql.run("create temp table runs as select unnest(['r1', 'r2']) as run_id");
  await sql.run(`create temp table link_syncs (${COLUMNS.join(", ")})`);
  await sql.run(`insert into link_syncs values ${listed(certificates)}`);
  await sql.run(`create temp table transaction_changes as
    from (values ${listed(rows)}) t(link_id, run_id, sequence, change_type, generation)`);
  await sql.run(
    `create temp table hashed as from (values ${listed(hashes)}) t(link_id, run_id, rows_sha256)`,
  );
  await sql.run(`create temp table heads as
    from (values ${listed(heads)}) t(link_id, run_id, head, certificate_prev, next_sequence, is_true)`);
  await sql.run("create temp table erased (fp_id varchar, link_id varchar, next_sequence bigint)");
  await sql.run(
    "create temp table purges (link_id varchar, run_id varchar, rows bigint, rows_sha256 varchar)",
  );
}

/** What a check finds of some links after some statements. */
function checked(links: readonly string[], damage: readonly string[]): Promise<ChainReport> {
  return duckdb.exclusive(async (sql) => {
    await writeLake(sql, links);
    for (const statement of damage) await sql.run(statement);
    return checkChains(sql);
  });
}

/** A certificate that was made for other fields. */
function forged(run: 1 | 2, other: Partial<CertificateFields>) {
  return (link: string): string => {
    const { certificate: _, ...fields } = { ...nights(link)[run - 1], ...other } as Certified;
    const set = Object.entries(other).map(([name, value]) => `${name} = ${sqlText(`${value}`)}`);
    return `update link_syncs set certificate = '${certificateOf(fields)}', ${set} ${of(link, run)}`;
  };
}

const of = (link: string, run: number) => `where link_id = '${link}' and run_id = 'r${run}'`;
const ofFirst = (link: string) => `${of(link, 1)} and sequence = 1`;

test("whole chains have no problem", async () => {
  expect(await checked(["a", "b"], [])).toEqual({
    links: 2,
    certificates: 4,
    rows: 10,
    pending: 0,
    forgotten: 0,
    purged: 0,
    problems: [],
    problemsTotal: 0,
  });
});

/** Of each link one thing is damaged, and all are checked together. */
const DAMAGE: readonly (readonly [string, (link: string) => string, RegExp])[] = [
  [
    "a row is lost",
    (l) => `delete from transaction_changes ${ofFirst(l)}`,
    /^r1: the feed has 1 created, 1 updated, 0 removed of it; its certificate says 2, 1, 0$/,
  ],
  [
    "a row is there twice",
    (l) => `insert into transaction_changes values ('${l}', 'r1', 1, 'created', 1)`,
    /^r1: the feed has 3 created/,
  ],
  [
    "a row is another kind of change",
    (l) => `update transaction_changes set change_type = 'removed' ${ofFirst(l)}`,
    /^r1: the feed has 1 created, 1 updated, 1 removed/,
  ],
  [
    "a row is in the place of another",
    (l) => `update transaction_changes set sequence = 2 ${ofFirst(l)}`,
    /^r1: the feed has a sequence of it twice$/,
  ],
  [
    "a row has no certificate",
    (l) => `insert into transaction_changes values ('${l}', 'r3', 7, 'created', 1)`,
    /^r3: the feed has 1 rows of it, and link_syncs has no certificate/,
  ],
  [
    "rows are of another generation",
    (l) => `update transaction_changes set generation = 2 ${ofFirst(l)}`,
    /^r1: its rows in the feed are of another generation$/,
  ],
  [
    "sequences are moved",
    (l) => `update transaction_changes set sequence = sequence + 1 ${of(l, 1)}`,
    /^r1: its rows have the sequences 2 to 4; its certificate says 1 to 3$/,
  ],
  [
    "values of rows are others",
    (l) => `update hashed set rows_sha256 = 'x' ${of(l, 1)}`,
    /^r1: its rows in the feed are not those that were committed/,
  ],
  [
    "a field of a certificate is another",
    (l) => `update link_syncs set pages = 2 ${of(l, 2)}`,
    /^r2: its certificate is not the hash of its fields/,
  ],
  [
    "a certificate is made for another field",
    forged(1, { pages: 2 }),
    /^r2: the certificate before it, [0-9a-f]{64}, is not in link_syncs$/,
  ],
  [
    "the first certificate is lost",
    (l) => `delete from link_syncs ${of(l, 1)}`,
    /^r2: the certificate before it, [0-9a-f]{64}, is not in link_syncs$/,
  ],
  [
    "the last certificate is lost",
    (l) => `delete from link_syncs ${of(l, 2)}`,
    /^r2: its checkpoint in the feed's log names [0-9a-f]{64}, which is not in link_syncs$/,
  ],
  [
    "a certificate is there twice",
    (l) => `insert into link_syncs from link_syncs ${of(l, 1)}`,
    /^r1: 2 certificates begin its chain$/,
  ],
  [
    "two follow the same",
    (l) => `insert into link_syncs from link_syncs ${of(l, 2)}`,
    /^r2: 2 certificates follow [0-9a-f]{64}$/,
  ],
  [
    "sequences leave a gap",
    forged(2, { sequence_from: 6, sequence_to: 8 }),
    /^r2: its sequences are 6 to 8, after 3: not as many as were delivered$/,
  ],
  [
    "sequences come before those of the night before",
    forged(2, { sequence_from: 1, sequence_to: 3 }),
    /^r2: its sequences do not come after those of the certificate before it$/,
  ],
  [
    "the head is not the hash of its checkpoint",
    (l) => `update heads set is_true = false where link_id = '${l}'`,
    /^r2: its checkpoint in the feed's log does not match its head$/,
  ],
  [
    "the head continues elsewhere",
    (l) => `update heads set next_sequence = 99 where link_id = '${l}'`,
    /^r2: its checkpoint in the feed's log continues at sequence 99; its certificates end before 7$/,
  ],
  [
    "the head is that of the night before",
    (l) => `update heads set head = '${nights(l)[0].certificate}' where link_id = '${l}'`,
    /^r2: its checkpoint in the feed's log names [0-9a-f]{64}, but link_syncs continues after it$/,
  ],
  [
    "there is no head",
    (l) => `delete from heads where link_id = '${l}'`,
    /^null: it has certificates, but the feed's log has no checkpoint of it$/,
  ],
  [
    "retention left other rows than it says",
    (l) => `delete from transaction_changes ${ofFirst(l)};
      insert into purges values ('${l}', 'r1', 1, 'rows of ${l} in r1')`,
    /^r1: the feed has 1 created, 1 updated, 0 removed of it; its certificate says 2, 1, 0$/,
  ],
  [
    "rows of a forgotten person are back",
    (l) => `insert into erased values ('user ${l}', '${l}', 7)`,
    /^r1: the feed has 3 rows of it, which were erased/,
  ],
];

const GROUP = 7;
const found = new Map<string | null, string[]>();
beforeAll(async () => {
  for (let from = 0; from < DAMAGE.length; from += GROUP) {
    const some = DAMAGE.slice(from, from + GROUP).map(([title, damage]) => damage(title));
    const links = DAMAGE.slice(from, from + GROUP).map(([title]) => title);
    const { problems, problemsTotal } = await checked([...links, "whole"], some);
    expect(problems).toHaveLength(problemsTotal);
    for (const { link_id, run_id, what } of problems) {
      found.set(link_id, [...(found.get(link_id) ?? []), `${run_id}: ${what}`]);
    }
  }
});

test.each(DAMAGE)("%s", (title, _, words) => {
  expect(found.get(title)).toContainEqual(expect.stringMatching(words));
});

test("what is whole beside it has no problem", () => {
  expect([...found.keys()].sort()).toEqual(DAMAGE.map(([title]) => title).sort());
});

test("runs under way, forgotten people and what retention ended are no problem, and counted", async () => {
  const report = await checked(
    ["under way", "forgotten", "ended"],
    [
      `delete from link_syncs ${of("under way", 2)}`,
      `update heads set run_id = 'r3' where link_id = 'under way'`,
      `update transaction_changes set run_id = 'r3' ${of("under way", 2)}`,
      "insert into erased values ('user forgotten', 'forgotten', 7)",
      "delete from transaction_changes where link_id = 'forgotten'",
      `delete from transaction_changes ${of("ended", 1)}`,
      `delete from hashed ${of("ended", 1)}`,
      "insert into purges values ('ended', 'r1', 0, null)",
    ],
  );
  const counts = { certificates: 5, rows: 7, pending: 1, forgotten: 2, purged: 1 };
  expect(report).toMatchObject({ problems: [], problemsTotal: 0, ...counts });
});

test("of many problems the first ones are told, by link", async () => {
  const many =
    "insert into transaction_changes select 'x' || n, 'r1', 1, 'created', 1 from range(10, 40) t(n)";
  const { problems, problemsTotal } = await checked(["a"], [many]);
  expect(problemsTotal).toBe(30);
  expect(problems.map(({ link_id }) => link_id)).toEqual(Array.from({ length: 20 }, (_, n) => `x${n + 10}`));
});
