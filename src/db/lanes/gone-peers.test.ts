import { randomInt } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createDb } from '../create-db.ts';
import { startEmbedded } from '../embedded/embedded.ts';
import { scratchFolder } from '../embedded/fixtures.ts';
import type { ConnectionSettings } from '../pool.ts';
import { rawSql } from '../sql.ts';

const SETTINGS = ['tcp_user_timeout', 'tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count'];

/** The operating system's settings for the connections of each kind of work. */
async function settingsOf(connection: ConnectionSettings): Promise<object[]> {
  const db = createDb({ connection });
  try {
    const shown = rawSql(`select ${SETTINGS.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`);
    const ways = [db.points(1), db.lists(1), db.writes(1), db.chores, db.probe];
    const singles = await Promise.all(ways.map((way) => way.query<object>(shown)));
    return [...singles, await db.tx((tx) => tx.query<object>(shown))].flat();
  } finally {
    await db.close();
  }
}

it('a server notices within 25 s that a program on another machine has gone without a word', async () => {
  await using folder = await scratchFolder();
  // An address of its own on the loopback, so that the server's usual port is free there.
  const address = `127.${randomInt(10, 250)}.${randomInt(1, 250)}.${randomInt(1, 250)}`;
  const hba = join(folder.path, 'hba.conf');
  await writeFile(hba, `local all all trust\nhost all all 127.0.0.0/8 trust\n`);
  await chmod(hba, 0o644);
  const server = await startEmbedded({
    dataDir: folder.path,
    log: () => undefined,
    extraSettings: { fsync: 'off', listen_addresses: address, hba_file: hba },
  });
  try {
    const { user, port, database } = server.connection;
    const overNetwork = await settingsOf({
      connectionString: `postgres://${user}@${address}:${port}/${database}?options=-c%20geqo%3Doff`,
    });
    expect(overNetwork).toEqual(
      Array.from({ length: 6 }, () => ({
        tcp_user_timeout: '15000',
        tcp_keepalives_idle: '10',
        tcp_keepalives_interval: '5',
        tcp_keepalives_count: '3',
      })),
    );
    // A Unix socket has none of these settings, and needs none.
    expect(await settingsOf(server.connection)).toHaveLength(6);
  } finally {
    await server.stop();
  }
});
