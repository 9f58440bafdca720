import pg from 'pg';

const PROBE = 'tradeloom_pooler_probe';
/** Other clients may take the connection meanwhile. */
const ATTEMPTS = 3;

/**
 * Whether the connection goes through a pooler that gives a connection of the server to each transaction, such as PgBouncer in transaction
 * mode. Then two clients whose transactions follow each other work on the same one.
 */
export async function isPooledByTransaction(client: pg.Client, connection: pg.ClientConfig): Promise<boolean> {
  const first = await backendOf(client);
  // The number that a server gives at the beginning is that of its process; a pooler gives one of its own.
  if (first === client.processID) return false;
  const other = new pg.Client(connection);
  await other.connect();
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      if ((await backendOf(client)) === (await backendOf(other))) return true;
    }
    return false;
  } finally {
    await other.end();
  }
}

/**
 * Throws where the pooler does not follow prepared statements from one connection of the server to the next. One that does gives them names
 * of its own.
 */
export async function requirePreparedStatements(client: pg.Client): Promise<void> {
  await client.query('begin');
  try {
    await client.query({ name: PROBE, text: 'select 1' });
    const { rows } = await client.query('select 1 from pg_prepared_statements where name = $1', [PROBE]);
    if (rows.length === 0) return;
    await client.query(`deallocate ${PROBE}`);
  } finally {
    await client.query('rollback');
  }
  throw new Error(
    'DATABASE_URL leads to a pooler in transaction mode that does not support prepared statements: PgBouncer 1.21 or newer is ' +
      'needed, with max_prepared_statements above 0 (docs/operations.md)',
  );
}

async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]!.pid;
}
