import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { MasterKey } from '../master-key.ts';

/** One that opens is enough: a few are read, the newest first. */
const LOOKED_AT = 20;

/**
 * With another master key the program would seem to work, but write to people who unsubscribed, whose addresses it could no longer tell,
 * and not know the links of e-mails that were sent. Throws where there are secrets and none of them opens, unless the
 * configuration permits it; then logs a warning.
 */
export async function requireMasterKey(
  db: Queryable,
  masterKey: MasterKey,
  config: Readonly<Pick<Config, 'withoutSecrets'>>,
  log?: Logger,
): Promise<void> {
  const secrets = await db.query<{ ciphertext: Buffer }>(sql`
    select ciphertext from company_secrets order by created_at desc limit ${LOOKED_AT}`);
  if (secrets.length === 0 || secrets.some(({ ciphertext }) => opens(masterKey, ciphertext))) return;
  const found = 'The secrets in this database were made with another master key than this program has';
  if (!config.withoutSecrets) {
    throw new Error(
      `${found}: set TRADELOOM_MASTER_KEY to that one, or put it into master.key of the data folder. If ` +
        'the key is lost, set TRADELOOM_WITHOUT_SECRETS=1 to start without it (docs/operations.md)',
    );
  }
  log?.warn(`${found}: links in e-mails that were sent lead nowhere, and unsubscribed addresses are not recognised`);
}

function opens(masterKey: MasterKey, sealed: Buffer): boolean {
  try {
    masterKey.open(sealed);
    return true;
  } catch {
    return false;
  }
}
