import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../embedded/embedded.ts';
import { migrate } from '../migrate.ts';
import { describeSchema } from './describe.ts';

/** `npm run schema` migrates an empty database and writes src/db/schema.sql. */
const dataDir = await mkdtemp(join(tmpdir(), 'tradeloom-schema-'));
const server = await startEmbedded({ dataDir, log: () => {}, extraSettings: { fsync: 'off' } });
const client = new pg.Client(server.connection);
try {
  await migrate(server.connection);
  await client.connect();
  await writeFile(new URL('../schema.sql', import.meta.url), await describeSchema(client));
} finally {
  await client.end();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}
