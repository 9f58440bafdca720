import * as apiKeys from '../../access/api-key-service.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db } from '../../db/pool.ts';
import { invalidField } from '../../errors.ts';
import type { Key, KeyInput, NewKey } from './contract.ts';

const DEFAULT_REQUESTS = 1_000;
const DEFAULT_OVERLAP_HOURS = 24;

type KeyRow = Awaited<ReturnType<typeof apiKeys.listKeys>>[number];

export type KeysService = ReturnType<typeof createKeysService>;

/** The API keys of a company, for people. */
export function createKeysService({ db }: { db: Db }) {
  return {
    async listKeys({ companyId, now }: Caller): Promise<{ keys: Key[] }> {
      const rows = await apiKeys.listKeys(db.lists(companyId), companyId);
      return { keys: rows.map((row) => keyRecord(row, now)) };
    },

    /** Throws validation_failed. */
    async createKey(caller: Caller, input: KeyInput): Promise<NewKey> {
      const { companyId, now, actor } = caller;
      const expiresAt = input.expires_at ? new Date(input.expires_at) : null;
      if (expiresAt !== null && expiresAt <= now) throw invalidField('expires_at', 'expires_at must be in the future');
      const { name, scopes, requests_per_hour: requestsPerHour = DEFAULT_REQUESTS } = input;
      const request = { companyId, name, scopes, requestsPerHour, expiresAt, now, actor };
      return write(db, caller, async (tx) => newKeyRecord(await apiKeys.createKeyIn(tx, request)));
    },

    /** Throws not_found, validation_failed. */
    async rotateKey(caller: Caller, id: number, overlapHours = DEFAULT_OVERLAP_HOURS): Promise<NewKey> {
      const { companyId, now, actor } = caller;
      const action = { companyId, overlapHours, now, actor };
      return write(db, caller, async (tx) => newKeyRecord(await apiKeys.rotateKeyIn(tx, id, action)));
    },

    /** Throws not_found. */
    async revokeKey(caller: Caller, id: number): Promise<Key> {
      const { companyId, now, actor } = caller;
      const row = await write(db, caller, (tx) => apiKeys.revokeKeyIn(tx, id, { companyId, now, actor }));
      return keyRecord(row, now);
    },
  };
}

function keyRecord(row: KeyRow, now: Date): Key {
  const { id, name, display, scopes, requests_per_hour, created_at, expires_at, revoked_at, last_used_at } = row;
  const ended = expires_at !== null && expires_at <= now ? 'expired' : 'active';
  return {
    id,
    name,
    display,
    scopes,
    requests_per_hour,
    status: revoked_at === null ? ended : 'revoked',
    created_at: created_at.toISOString(),
    expires_at: expires_at?.toISOString() ?? null,
    revoked_at: revoked_at?.toISOString() ?? null,
    last_used_at: last_used_at?.toISOString() ?? null,
  };
}

function newKeyRecord({ key, key_id, name, scopes, requests_per_hour, expires_at }: apiKeys.NewKey): NewKey {
  return { id: key_id, name, scopes, requests_per_hour, expires_at: expires_at?.toISOString() ?? null, key };
}
