import pg from 'pg';

/** Settings under which a server can lose what it has acknowledged. */
const WEAK: Record<string, string[]> = {
  fsync: ['off'],
  synchronous_commit: ['off'],
  full_page_writes: ['off'],
};

/**
 * Refuses a database whose commits may be lost in a crash.
 * @throws Error naming the setting and the fix
 */
export async function requireDurability(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; setting: string }>(
      'select name, setting from pg_settings where name = any($1)',
      [Object.keys(WEAK)],
    );
    const weak = rows.find(({ name, setting }) => WEAK[name]!.includes(setting));
    if (weak === undefined) return;
    throw new Error(
      `PostgreSQL runs with ${weak.name}=${weak.setting}, so that a crash can lose acknowledged orders: ` +
        `set ${weak.name} to on, or leave production mode`,
    );
  } finally {
    await client.end();
  }
}
