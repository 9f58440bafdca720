import { randomBytes } from 'node:crypto';
import type { Queryable } from '../db/pool.ts';
import type { MasterKey } from './master-key.ts';
import * as webhookSecretQueries from './webhook-secret-queries.ts';

export interface LiveSecret {
  secret: string;
  /** Null if it does not expire. */
  expiresAt: Date | null;
}

/** Returns the company's live webhook secrets, newest first; none for a company that does not exist. */
export async function liveWebhookSecrets(
  db: Queryable,
  companyId: number,
  masterKey: MasterKey,
  now: Date,
): Promise<LiveSecret[]> {
  const rows = await webhookSecretQueries.listSecrets(db, companyId, 'webhook');
  return rows
    .filter((row) => row.expires_at === null || row.expires_at > now)
    .map((row) => ({ secret: masterKey.open(row.ciphertext), expiresAt: row.expires_at }));
}

/** The texts of the company's live webhook secrets, newest first. */
export async function webhookSecrets(
  db: Queryable,
  companyId: number,
  masterKey: MasterKey,
  now: Date,
): Promise<string[]> {
  return (await liveWebhookSecrets(db, companyId, masterKey, now)).map(({ secret }) => secret);
}

/** `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
