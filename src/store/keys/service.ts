import { isKeyText, newKeyText } from '../../access/api-keys.ts';
import { recordAuditEntry } from '../../access/audit.ts';
import { findCompany } from '../../access/company-queries.ts';
import type { Caller } from '../../caller.ts';
import { findLocation } from '../../commerce/inventory/locations/queries.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { type FieldError, found, invalidField, validationFailed } from '../../errors.ts';
import { problem } from '../../lib/validation/problems.ts';
import { readOrigin } from '../../lib/web-origin.ts';
import type { StoreKey, StoreKeyInput, StoreKeyPatch } from './contract.ts';
import * as queries from './queries.ts';

const PREFIX = 'tl_pub_';

/** Whether the text has the format of a store key; detects typing errors without a database look-up. */
export function isStoreKey(key: string): boolean {
  return isKeyText(PREFIX, key);
}

export type StoreKeysService = ReturnType<typeof createStoreKeysService>;

/** The keys of a company for the store interface. */
export function createStoreKeysService({ db }: { db: Db }) {
  return {
    async listStoreKeys(companyId: number): Promise<{ store_keys: StoreKey[] }> {
      const rows = await queries.listStoreKeys(db.lists(companyId), companyId);
      return { store_keys: rows.map(recordOf) };
    },

    /** Throws not_found. */
    async getStoreKey(companyId: number, id: number): Promise<StoreKey> {
      return recordOf(found(await queries.findStoreKey(db.points(companyId), companyId, id), 'store key'));
    },

    /** Throws validation_failed. */
    async createStoreKey(caller: Caller, input: StoreKeyInput): Promise<StoreKey> {
      return write(db, caller, (tx) => createStoreKeyIn(tx, caller, input));
    },

    /** Sets the given fields. Throws not_found, validation_failed. */
    async updateStoreKey(caller: Caller, id: number, patch: StoreKeyPatch): Promise<StoreKey> {
      const { companyId } = caller;
      return write(db, caller, async (tx) => {
        const old = found(await queries.lockStoreKey(tx, companyId, id), 'store key');
        if (old.revoked_at !== null) throw invalidField('id', `Store key ${id} is revoked: create a new one`);
        const values = await checked(tx, companyId, {
          name: patch.name ?? old.name,
          origins: patch.origins ?? old.origins,
          location_id: patch.location_id === undefined ? old.location_id : patch.location_id,
        });
        const row = await queries.updateStoreKey(tx, companyId, id, values);
        await recordChange(tx, caller, 'update', row);
        return recordOf(row);
      });
    },

    /** Ends a key now. Every process refuses it within a second. Throws not_found. */
    async revokeStoreKey(caller: Caller, id: number): Promise<StoreKey> {
      const { companyId, now } = caller;
      return write(db, caller, async (tx) => {
        const row = found(await queries.revokeStoreKey(tx, companyId, id, now), 'store key');
        await recordChange(tx, caller, 'revoke', row);
        return recordOf(row);
      });
    },
  };
}

type Maker = Pick<Caller, 'companyId' | 'now' | 'actor'>;

/** Creates a key in the caller's transaction. Throws validation_failed, and not_found for an unknown company. */
export async function createStoreKeyIn(tx: Tx, maker: Maker, input: StoreKeyInput): Promise<StoreKey> {
  const { companyId, now } = maker;
  found(await findCompany(tx, companyId), `company ${companyId}`);
  const { name, origins = [], location_id = null } = input;
  const values = await checked(tx, companyId, { name, origins, location_id });
  const row = await queries.insertStoreKey(tx, companyId, { ...values, key: newKeyText(PREFIX) }, now);
  await recordChange(tx, maker, 'create', row);
  return recordOf(row);
}

/** Returns the values as they are stored. Throws validation_failed. */
async function checked(
  tx: Tx,
  companyId: number,
  { name, origins, location_id }: queries.StoreKeyValues,
): Promise<queries.StoreKeyValues> {
  const errors: FieldError[] = [];
  if (name.trim() === '' || name.length > 100) {
    errors.push({ field: 'name', code: 'invalid', message: 'The name must have 1 to 100 characters' });
  }
  const read = origins.map((origin, index) => originOf(origin, index, errors));
  if (location_id !== null && (await findLocation(tx, companyId, location_id))?.active !== true) {
    errors.push({ field: 'location_id', code: 'invalid', message: `There is no open location ${location_id}` });
  }
  if (errors.length > 0) throw validationFailed(errors);
  return { name: name.trim(), origins: [...new Set(read)], location_id };
}

/** Returns the origin as browsers send it. */
function originOf(text: string, index: number, errors: FieldError[]): string {
  const origin = readOrigin(text);
  if (origin !== null) return origin;
  const message = `${text} must be a scheme and a host, such as https://shop.example.com`;
  errors.push({ field: `origins.${index}`, code: 'invalid', message, problem: problem('no_origin', { name: text }) });
  return text;
}

async function recordChange(
  tx: Tx,
  { companyId, now, actor }: Maker,
  verb: 'create' | 'update' | 'revoke',
  { id, name, origins, location_id }: queries.StoreKeyRow,
): Promise<void> {
  await recordAuditEntry(tx, companyId, {
    at: now,
    actor,
    action: `store_key.${verb}`,
    target: `store_key:${id}`,
    details: verb === 'revoke' ? {} : { name, origins, location_id },
  });
}

function recordOf(row: queries.StoreKeyRow): StoreKey {
  const { id, key, name, origins, location_id, created_at, revoked_at } = row;
  return {
    id,
    key,
    name,
    origins,
    location_id,
    created_at: created_at.toISOString(),
    revoked_at: revoked_at?.toISOString() ?? null,
  };
}
