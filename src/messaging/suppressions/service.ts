import type { KeyObject } from 'node:crypto';
import { recordAuditEntry } from '../../access/audit.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { type FieldError, validationFailed } from '../../errors.ts';
import { normaliseEmail, normalisePhone } from '../../lib/addresses.ts';
import { type Page, type PageBehind, pageBehind, pageOf } from '../../lib/paging.ts';
import { formatTimestamp } from '../../lib/timestamps.ts';
import { sourceOf } from '../../recipients/consent.ts';
import { suppressionHash } from '../consent/tokens.ts';
import type { Channel } from '../ledger/message.ts';
import type { Addresses, Suppression, SuppressionQuery } from './contract.ts';
import * as queries from './queries.ts';

export type SuppressionsService = ReturnType<typeof createSuppressionsService>;

/** Lets people list, add and lift the addresses that a company must not write to. */
export function createSuppressionsService({ db, tokenKey }: { db: Db; tokenKey: KeyObject }) {
  return {
    /** Newest first, with exact totals. */
    async listSuppressions(companyId: number, query: SuppressionQuery): Promise<Page<Suppression>> {
      const { before } = query;
      const lane = db.lists(companyId);
      const { page, perPage, skip } = pageOf(before === undefined ? query : { ...query, page: 1 });
      const filters = filtersOf(tokenKey, query);
      const bounds = { skip, take: perPage, before: before === undefined ? null : Buffer.from(before, 'hex') };
      const { rows, total } = await queries.listSuppressions(lane, companyId, filters, bounds);
      return { rows: rows.map(suppressionRecord), total, page, perPage };
    },

    /** Returns a part of the list, for an export. */
    async walkSuppressions(
      companyId: number,
      query: SuppressionQuery,
      place: string | null,
      limit: number,
    ): Promise<PageBehind<Suppression>> {
      const from = { place, limit };
      const rows = await queries.walkSuppressions(db.lists(companyId), companyId, filtersOf(tokenKey, query), from);
      return pageBehind(rows, limit, suppressionRecord, (row) => row.place);
    },

    /** Suppresses addresses manually. Throws validation_failed for an invalid address. */
    async addSuppressions(caller: Caller, input: Addresses): Promise<{ added: number }> {
      const { channel = 'email' } = input;
      const hashes = readAddresses(tokenKey, channel, input.addresses);
      const { companyId, now } = caller;
      return write(db, caller, async (tx) => {
        const known = await queries.findManual(tx, companyId, channel, hashes);
        const from = sourceOf(caller);
        const source = from === 'api' ? null : from;
        const suppressions = hashes.map((hash) => ({ channel, hash, cause: 'manual' as const, source }));
        await queries.insertSuppressions(tx, companyId, suppressions, now);
        await audit(tx, caller, 'suppression.add', channel, hashes);
        return { added: hashes.length - known };
      });
    },

    /** Deletes suppressions, whatever their cause. Throws validation_failed for an invalid address. */
    async liftSuppressions(caller: Caller, input: Addresses): Promise<{ lifted: number }> {
      const { channel = 'email' } = input;
      const hashes = readAddresses(tokenKey, channel, input.addresses);
      return write(db, caller, async (tx) => {
        const lifted = await queries.liftSuppressions(tx, caller.companyId, channel, hashes);
        await audit(tx, caller, 'suppression.lift', channel, hashes);
        return { lifted };
      });
    },
  };
}

function filtersOf(tokenKey: KeyObject, query: SuppressionQuery): queries.SuppressionFilters {
  const { address, channel = null, cause = null } = query;
  return { channel, cause, hashes: address === undefined ? null : hashesOf(tokenKey, address) };
}

function suppressionRecord({ channel, cause, hash, created_at }: queries.SuppressionRow): Suppression {
  return { channel, cause, hash: hash.toString('hex'), created_at: formatTimestamp(created_at) };
}

/** Returns the hashes of a text that may be an e-mail address or a phone number. */
function hashesOf(tokenKey: KeyObject, address: string): Buffer[] {
  const email = normaliseEmail(address);
  const phone = normalisePhone(address, null);
  return [
    ...(email === null ? [] : [suppressionHash(tokenKey, 'email', email)]),
    ...(phone === null ? [] : [suppressionHash(tokenKey, 'sms', phone)]),
  ];
}

/** The audit log contains hashes instead of addresses, too. */
async function audit(tx: Tx, { companyId, now, actor }: Caller, action: string, channel: Channel, hashes: Buffer[]) {
  const details = { channel, hashes: hashes.map((hash) => hash.toString('hex')) };
  await recordAuditEntry(tx, companyId, { at: now, actor, action, target: 'suppressions', details });
}

/** Returns the hashes of distinct addresses. Throws validation_failed for an invalid address. */
function readAddresses(tokenKey: KeyObject, channel: Channel, addresses: string[]): Buffer[] {
  const errors: FieldError[] = [];
  const read = new Set<string>();
  addresses.forEach((text, i) => {
    const address = channel === 'email' ? normaliseEmail(text) : normalisePhone(text, null);
    const what = channel === 'email' ? 'e-mail address' : 'E.164 number';
    if (address !== null) read.add(address);
    else errors.push({ field: `addresses.${i}`, code: 'wrong_format', message: `addresses.${i} is not an ${what}` });
  });
  if (errors.length > 0) throw validationFailed(errors);
  return [...read].map((address) => suppressionHash(tokenKey, channel, address));
}
