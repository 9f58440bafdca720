import type { Db, Tx } from '../db/pool.ts';
import { invalidField, notFound } from '../errors.ts';
import * as queries from './api-key-queries.ts';
import { displayOf, hashApiKey, newApiKey } from './api-keys.ts';
import { recordAuditEntry } from './audit.ts';
import * as companyQueries from './company-queries.ts';
import { EVERYTHING, isScope, SCOPES } from './scopes.ts';

export interface NewKey {
  key: string;
  key_id: number;
  company_id: number;
  name: string;
  scopes: string[];
  requests_per_hour: number;
  expires_at: Date | null;
}

export interface KeyRequest {
  companyId: number;
  name: string;
  scopes: string[];
  requestsPerHour: number;
  expiresAt: Date | null;
  now: Date;
  actor: string;
}

/** Creates an API key; only this call returns its text. */
export async function createKey(db: Db, input: KeyRequest): Promise<NewKey> {
  return db.tx((tx) => createKeyIn(tx, input));
}

/** Like `createKey`, within the caller's transaction. */
export async function createKeyIn(tx: Tx, input: KeyRequest): Promise<NewKey> {
  const made = await insertKey(tx, input);
  const { key_id, name, scopes, requests_per_hour } = made;
  await recordAuditEntry(tx, input.companyId, {
    at: input.now,
    actor: input.actor,
    action: 'key.create',
    target: `key:${key_id}`,
    details: { name, scopes, requests_per_hour },
  });
  return made;
}

async function insertKey(tx: Tx, input: KeyRequest): Promise<NewKey> {
  const scopes = [...new Set(input.scopes)];
  const unknown = scopes.filter((scope) => !isScope(scope));
  if (scopes.length === 0) throw invalidField('scopes', 'A key needs at least one scope');
  if (unknown.length > 0) {
    const all = `There are ${SCOPES.join(', ')} and ${EVERYTHING}`;
    throw invalidField('scopes', `There is no scope ${unknown.join(', ')}. ${all}`);
  }
  if (!Number.isInteger(input.requestsPerHour) || input.requestsPerHour < 0 || input.requestsPerHour > 2_000_000_000) {
    throw invalidField('requests_per_hour', 'requests_per_hour must be a whole number from 0 (unlimited)');
  }
  const name = input.name.trim();
  if (name === '' || name.length > 100) throw invalidField('name', 'The name must have 1 to 100 characters');
  const key = newApiKey();
  if ((await companyQueries.findCompany(tx, input.companyId)) === undefined)
    throw notFound(`company ${input.companyId}`);
  const keyId = await queries.insertApiKey(tx, input.companyId, {
    name,
    display: displayOf(key),
    hash: hashApiKey(key),
    scopes,
    requestsPerHour: input.requestsPerHour,
    expiresAt: input.expiresAt,
    now: input.now,
  });
  return {
    key,
    key_id: keyId,
    company_id: input.companyId,
    name,
    scopes,
    requests_per_hour: input.requestsPerHour,
    expires_at: input.expiresAt,
  };
}

/** Only looks in the company if one is passed: the command line names keys by their id. */
async function keyOf(tx: Tx, keyId: number, companyId: number | null): Promise<queries.ApiKeyRow> {
  const row = await queries.findApiKeyById(tx, keyId);
  if (row === undefined || (companyId !== null && row.company_id !== companyId)) throw notFound(`key ${keyId}`);
  return row;
}

interface KeyAction {
  /** null: any company. */
  companyId: number | null;
  now: Date;
  actor: string;
}

/** Ends a key now. Every process refuses it within a second. */
export async function revokeKey(
  db: Db,
  keyId: number,
  options: Omit<KeyAction, 'companyId'>,
): Promise<queries.ApiKeyRow> {
  return db.tx((tx) => revokeKeyIn(tx, keyId, { ...options, companyId: null }));
}

/** Like `revokeKey`, within the caller's transaction. */
export async function revokeKeyIn(
  tx: Tx,
  keyId: number,
  { companyId, now, actor }: KeyAction,
): Promise<queries.ApiKeyRow> {
  const row = await keyOf(tx, keyId, companyId);
  await queries.endApiKey(tx, row.company_id, keyId, { revokedAt: now, expiresAt: null });
  await recordAuditEntry(tx, row.company_id, { at: now, actor, action: 'key.revoke', target: `key:${keyId}` });
  return { ...row, revoked_at: row.revoked_at ?? now };
}

/** Creates a key with the old one's name, scopes and limit; the old one ends `overlapHours` from now. */
export async function rotateKey(
  db: Db,
  keyId: number,
  options: Omit<KeyAction, 'companyId'> & { overlapHours: number },
): Promise<NewKey> {
  return db.tx((tx) => rotateKeyIn(tx, keyId, { ...options, companyId: null }));
}

/** Like `rotateKey`, within the caller's transaction. */
export async function rotateKeyIn(
  tx: Tx,
  keyId: number,
  { companyId, overlapHours, now, actor }: KeyAction & { overlapHours: number },
): Promise<NewKey> {
  if (!(overlapHours >= 0 && overlapHours <= 168)) throw invalidField('overlap_hours', 'The overlap is 0 to 168 hours');
  const old = await keyOf(tx, keyId, companyId);
  if (old.revoked_at !== null || (old.expires_at !== null && old.expires_at <= now)) {
    throw invalidField('key_id', `Key ${keyId} has ended, and its rights with it: create a new one`);
  }
  const fresh = await insertKey(tx, {
    companyId: old.company_id,
    name: old.name,
    scopes: old.scopes,
    requestsPerHour: old.requests_per_hour,
    expiresAt: null,
    now,
    actor,
  });
  const expiresAt = new Date(now.getTime() + overlapHours * 3_600_000);
  await queries.endApiKey(tx, old.company_id, keyId, { revokedAt: null, expiresAt });
  await recordAuditEntry(tx, old.company_id, {
    at: now,
    actor,
    action: 'key.rotate',
    target: `key:${keyId}`,
    details: { new_key_id: fresh.key_id, overlap_hours: overlapHours, name: old.name, scopes: old.scopes },
  });
  return fresh;
}

export const listKeys = queries.listApiKeys;
