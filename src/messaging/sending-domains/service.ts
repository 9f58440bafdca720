import { recordAuditEntry } from '../../access/audit.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { found, invalidField } from '../../errors.ts';
import { normaliseDomain } from '../../lib/addresses.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { formatTimestamp } from '../../marketing/time.ts';
import type { SendingDomain, SendingDomainInput } from './contract.ts';
import type { Dns } from './dns.ts';
import { type Findings, wantedRecords } from './dns-records.ts';
import { examine } from './examine.ts';
import { newDomainKey } from './keys.ts';
import * as queries from './queries.ts';
import { firstCheck, nextCheck, standingAfter } from './state.ts';

const MAX_DOMAINS = 20;
/** A check so soon after the one before would learn nothing. */
const CHECKED_LATELY_MS = 5_000;

export interface SendingDomainsDeps {
  db: Db;
  dns: Dns;
  /** The name of the mail server's SPF record; null where nobody told. */
  spfInclude: string | null;
  /** Encrypts a secret with the master key; ciphertext in base64. */
  sealSecret(secret: string): string;
  /** Makes this process see a change at once; other processes see it within a second. */
  refreshSettings(): Promise<void>;
}

export type SendingDomainsService = ReturnType<typeof createSendingDomainsService>;

/** The domains that a company sends from: their keys, their DNS records and what was found of these. */
export function createSendingDomainsService(deps: SendingDomainsDeps) {
  const { db, dns, spfInclude, sealSecret, refreshSettings } = deps;
  const record = (row: queries.DomainRow): SendingDomain => domainRecord(row, spfInclude);

  return {
    async listDomains(companyId: number, query: { page?: number; per_page?: number }): Promise<Page<SendingDomain>> {
      const { page, perPage } = pageOf(query);
      const bounds = { skip: (page - 1) * perPage, take: perPage };
      const { rows, total } = await queries.listDomains(db.lists(companyId), companyId, bounds);
      return { rows: rows.map(record), total, page, perPage };
    },

    /** Throws not_found. */
    async getDomain(companyId: number, id: number): Promise<SendingDomain> {
      return record(found(await queries.findDomain(db.points(companyId), companyId, id), 'sending domain'));
    },

    /** Adds a domain with a new key. Throws validation_failed. */
    async createDomain(caller: Caller, input: SendingDomainInput): Promise<SendingDomain> {
      const { companyId, now } = caller;
      const domain = normaliseDomain(input.domain.replace(/\.$/, ''));
      if (domain === null) throw invalidField('domain', 'domain must be the name of a domain', 'wrong_format');
      const key = await newDomainKey();
      const sealedKey = sealSecret(key.privateKey);
      return write(db, caller, async (tx) => {
        if ((await queries.countDomains(tx, companyId)) >= MAX_DOMAINS) {
          throw invalidField('domain', `A company has at most ${MAX_DOMAINS} sending domains`);
        }
        const row = await queries.insertDomain(tx, companyId, { domain, key, sealedKey, now, dueAt: firstCheck(now) });
        if (row === undefined) throw invalidField('domain', `The company has the domain ${domain}`, 'taken');
        await audit(tx, caller, 'sending_domain.create', row);
        return record(row);
      });
    },

    /** Asks the DNS and records what it says. Throws not_found. */
    async checkDomain(caller: Caller, id: number): Promise<SendingDomain> {
      const { companyId, now } = caller;
      const known = found(await queries.findDomain(db.points(companyId), companyId, id), 'sending domain');
      const isFresh = known.checked_at !== null && now.getTime() - known.checked_at.getTime() < CHECKED_LATELY_MS;
      const findings = isFresh ? null : await examine(dns, keyOf(known), spfInclude);
      const domain = await write(db, caller, async (tx) => {
        const row = found(await queries.findDomain(tx, companyId, id, true), 'sending domain');
        return record(findings === null ? row : await settleCheck(tx, companyId, row, findings, now));
      });
      if (domain.state !== known.state) await refreshSettings();
      return domain;
    },

    /** Throws not_found. */
    async deleteDomain(caller: Caller, id: number): Promise<{ domain_id: number; deleted: boolean }> {
      const deleted = await write(db, caller, async (tx) => {
        const domain = found(await queries.deleteDomain(tx, caller.companyId, id), 'sending domain');
        await audit(tx, caller, 'sending_domain.delete', { id, domain });
        return { domain_id: id, deleted: true };
      });
      await refreshSettings();
      return deleted;
    },
  };
}

export function keyOf({ domain, selector, public_key: publicKey }: queries.DomainRow) {
  return { domain, selector, publicKey };
}

/** Records a check of a domain that the transaction has locked. */
export async function settleCheck(
  tx: Tx,
  companyId: number,
  row: queries.DomainRow,
  findings: Findings,
  now: Date,
): Promise<queries.DomainRow> {
  const before = { state: row.state, verifiedAt: row.verified_at, failingSince: row.failing_since };
  const standing = standingAfter(before, findings, now);
  const dueAt = nextCheck(standing, findings, row.created_at, now);
  return queries.recordCheck(tx, companyId, row.id, { ...standing, findings, now, dueAt });
}

async function audit(tx: Tx, caller: Caller, action: string, { id, domain }: { id: number; domain: string }) {
  const { actor, now: at } = caller;
  const entry = { at, actor, action, target: `sending_domain:${id}`, details: { domain } };
  await recordAuditEntry(tx, caller.companyId, entry);
}

function domainRecord(row: queries.DomainRow, spfInclude: string | null): SendingDomain {
  const at = (moment: Date | null): string | null => moment && formatTimestamp(moment);
  return {
    domain_id: row.id,
    domain: row.domain,
    state: row.state,
    records: wantedRecords(keyOf(row), spfInclude).map(({ purpose, name, value, required }) => {
      const { state, found: there } = row.findings[purpose] ?? { state: 'unchecked' as const, found: null };
      return { purpose, type: 'TXT' as const, name, value, required, state, found: there };
    }),
    verified_at: at(row.verified_at),
    failing_since: at(row.failing_since),
    checked_at: at(row.checked_at),
    created_at: formatTimestamp(row.created_at),
  };
}
