/** What a statement may be after: files that it must not read, and where it must not write. */
export interface Targets {
  /** A file with a planted text, outside of the lake. */
  readonly keys: string;
  /** A directory that can be written. */
  readonly out: string;
  /** A data file of the table `feed`. */
  readonly data: string;
  /** A file of the lake's staging area, with the planted text. */
  readonly staged: string;
  /** An HTTP server on this machine. */
  readonly http: string;
}

/** Statements that are refused, by what they would do. */
function hostileKinds({
  keys,
  out,
  data,
  staged,
  http,
}: Targets): Readonly<Record<string, readonly string[]>> {
  return {
    "a copy": [
      `copy feed to '${out}/a.csv'`,
      `copy feed from '${keys}'`,
      `copy (from read_text('${keys}')) to '${out}/a.csv'`,
      `copy feed to '${data}' (format parquet)`,
      "copy feed to '/dev/stdout'",
    ],
    "another database": [
      `export database '${out}/dump'`,
      `import database '${out}/dump'`,
      `attach '${out}/a.duckdb' as other`,
      "use memory",
    ],
    "an extension": [
      "install httpfs",
      `install httpfs from '${http}'`,
      `load '${out}/evil.duckdb_extension'`,
    ],
    "a setting": [
      "set enable_external_access = true",
      "set lock_configuration = false",
      `set allowed_paths = ['${keys}']`,
      `set temp_directory = '${out}'`,
      "reset enable_external_access",
    ],
    "a pragma": [
      `pragma profiling_output = '${out}/profile.json'`,
      `pragma log_query_path = '${out}/log'`,
      "pragma add_parquet_key('k', '0123456789112345')",
      "pragma copy_database('memory', 'other')",
    ],
    "a change": [
      "create table t (a integer)",
      `create temp view v as from read_text('${keys}')`,
      `create temp macro m() as table from read_text('${keys}')`,
      "create secret s (type s3, key_id 'a', secret 'b')",
      "drop view feed",
      "insert into feed values (1)",
      "update feed set sequence = 1",
    ],
    housekeeping: [
      "checkpoint",
      "vacuum",
      "begin",
      "call pragma_version()",
      "call enable_logging(storage = 'stdout')",
      "prepare p as select 1",
    ],
    "several statements": [
      `select 1; copy feed to '${out}/a.csv'`,
      "select 1; select 2",
      `select 1 /* ; */; copy feed to '${out}/a.csv' --`,
      `-- select 1\ncopy feed to '${out}/a.csv'`,
      `;;;copy feed to '${out}/a.csv'`,
    ],
    "an explanation of what writes": [
      `explain copy feed to '${out}/a.csv'`,
      `explain analyze copy feed to '${out}/a.csv'`,
      `explain analyse copy feed to '${out}/a.csv'`,
      `explain (analyze) copy feed to '${out}/a.csv'`,
      "explain set threads = 1",
      `explain -- \n analyze copy feed to '${out}/a.csv'`,
      `/**/explain/**/analyze/**/copy feed to '${out}/a.csv'`,
      `explain (analyze, format json) copy feed to '${out}/a.csv'`,
      `explain /* /* */ */ analyze copy feed to '${out}/a.csv'`,
      `explain select 1; copy feed to '${out}/a.csv'`,
      `explain analyze from read_text('${keys}')`,
      "explain call pragma_version()",
    ],
    "a file of the machine": [
      `from read_text('${keys}')`,
      `from read_blob('${keys}')`,
      `from read_csv('${keys}')`,
      `from read_json('${keys}')`,
      `from read_json_objects('${keys}')`,
      `from read_parquet('${keys}')`,
      `from parquet_metadata('${keys}')`,
      `from parquet_schema('${keys}')`,
      `from parquet_kv_metadata('${keys}')`,
      `from read_duckdb('${keys}')`,
      `from sniff_csv('${keys}')`,
      `from glob('${keys}')`,
      `from glob('${out}/*')`,
      `from '${keys}'`,
      `from "${keys}"`,
      "from read_csv('/etc/passwd', sep = ':')",
      "from '/dev/stdin'",
      `from read_text('file://${keys}')`,
    ],
    "another file of the lake": [
      `from read_text('${staged}')`,
      `from read_text('${data}/../../_staging/*')`,
      `from read_blob('${data.replace(/[^/]*$/, "*")}')`,
      `from read_text('${data.replace(/[^/]*$/, "_delta_log/00000000000000000000.json")}')`,
      `from read_text(['${data}', '${keys}'])`,
    ],
    "a hidden reading": [
      `select * from feed, '${keys}'`,
      `with stolen as materialized (from read_text('${keys}')) from stolen`,
      `with recursive r(n, t) as (select 1, '' union all select n + 1, (select content from read_text('${keys}')) from r where n < 3) from r`,
      `select (select content from read_text('${keys}'))`,
      `from query('from read_text(''${keys}'')')`,
      `from query('copy feed to ''${out}/a.csv''')`,
      `select * from feed where exists (from read_text('${keys}'))`,
      `from query_table('${keys}')`,
      `from json_execute_serialized_sql(json_serialize_sql('from read_text(''${keys}'')'))`,
      `describe from read_text('${keys}')`,
      `pivot (from read_csv('${keys}')) on column0 in ('a') using count(*)`,
      "select getenv('HOME')",
    ],
    "a file elsewhere": [
      `from read_csv('${http}/a.csv')`,
      `from '${http}/a.parquet'`,
      `from read_text('${http.replace("http:", "https:")}/a')`,
      "from duckdb_extensions()",
      "from read_text('s3://bucket/key')",
      "from read_text('hf://datasets/a/b')",
      "from read_parquet('az://bucket/key')",
    ],
  };
}

export function hostileStatements(targets: Targets): string[] {
  return Object.values(hostileKinds(targets)).flat();
}

/** Some of each kind, which stand for it. */
export function hostileExamples(targets: Targets): string[] {
  return Object.values(hostileKinds(targets)).flatMap((statements) => {
    const step = Math.ceil(statements.length / EXAMPLES);
    return statements.filter((_, at) => at % step === 0);
  });
}

const EXAMPLES = 4;

/** Statements that DuckDB answers, and that neither change nor tell anything beyond the tables. */
export function idleStatements({ out }: Targets): string[] {
  return [
    "from duckdb_secrets()",
    "from which_secret('s3://bucket', 's3')",
    "from duckdb_settings()",
    "from duckdb_logs()",
    "from checkpoint()",
    "from force_checkpoint()",
    "from enable_logging(storage = 'stdout')",
    `from enable_logging(storage = 'file', storage_path = '${out}/logs')`,
    `with l as materialized (from enable_logging(storage = 'file', storage_path = '${out}/logs')) select write_log('x'), (select count(*) from l) from range(10000)`,
    `from enable_profiling(format = 'json', save_location = '${out}/profile.json')`,
    `explain analyze from enable_profiling(format = 'json', save_location = '${out}/profile.json')`,
    "select write_log('x')",
  ];
}

/** Statements that work. */
export const GOOD_STATEMENTS: readonly string[] = [
  "select * from feed",
  "SELECT count(*) FROM feed;",
  "select 1; -- and no more",
  "  /* first */ select link_id from feed -- last",
  "from feed",
  "from feed select link_id where sequence > 0",
  "table feed",
  "with a as (select * from feed) select * from a",
  "with recursive t(n) as (values (1) union all select n + 1 from t where n < 3) from t",
  "describe feed",
  "summarize feed",
  "pivot feed on pending in (true, false) using count(*)",
  "from query('from feed')",
  "from query_table('feed')",
  "from range(3)",
  "select 'copy feed to ''x''' as text",
  "select json_extract('{\"a\": 1}', '$.a')",
  "explain analyze select * from feed",
  "explain /* why */ from feed",
  "explain (analyze, format json) select * from feed",
  "explain with a as (select 1) from a",
  "explain (select 1)",
  "pragma table_info('feed')",
  "pragma version",
];
