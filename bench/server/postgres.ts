import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type EmbeddedOptions, type EmbeddedPostgres, startEmbedded } from '../../src/db/embedded/embedded.ts';
import { endWithProcess } from './endings.ts';

export interface BenchPostgres extends Pick<EmbeddedPostgres, 'connection' | 'stop'> {
  dataDir: string;
}

/**
 * Starts a PostgreSQL that ends with this process, however it ends: in the folder `kept`, or in one of its own, named
 * after `name`, which is removed with it.
 */
export async function startPostgres(
  name: string,
  kept?: string,
  extraSettings: NonNullable<EmbeddedOptions['extraSettings']> = {},
): Promise<BenchPostgres> {
  const dataDir = kept === undefined ? await mkdtemp(join(tmpdir(), `tradeloom-${name}-`)) : resolve(kept);
  const starting = startEmbedded({
    dataDir,
    log: (line) => process.stderr.write(`${line}\n`),
    extraSettings,
  });
  const stop = async (): Promise<void> => {
    await starting.then((postgres) => postgres.stop()).finally(() => removeOwn());
  };
  const removeOwn = async (): Promise<void> => {
    if (kept === undefined) await rm(dataDir, { recursive: true, force: true });
  };
  endWithProcess(stop);
  return { connection: (await starting).connection, dataDir, stop };
}
