import { recordAuditEntry } from '../../access/audit.ts';
import type { CompanyCache } from '../../access/company-cache.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Queryable, Tx } from '../../db/pool.ts';
import { type AppError, found, invalidField } from '../../errors.ts';
import { normaliseDomain } from '../../lib/addresses.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { formatTimestamp } from '../../lib/timestamps.ts';
import { type SendingCompany, senderOf } from '../settings/settings.ts';
import type { SendingDomain, SendingDomainInput, SendingDomainPatch, WarmUpPreview } from './contract.ts';
import { type DomainKey, type Findings, wantedRecords } from './dns-records.ts';
import { createDomainKeyMaker } from './keys.ts';
import * as queries from './queries.ts';
import { firstCheck, nextCheck, standingAfter } from './state.ts';
import { type CheckDeps, examineAll } from './tracking-host/check.ts';
import { nameHost, releaseHost, settleHost } from './tracking-host/claim.ts';
import { trackingHostIn } from './tracking-host/rules.ts';
import { warmingDomainOf } from './warm-up/domain-of.ts';
import { completesOn, dayIn, daysBetween, daysOf, MOST_DAYS, quotaOn, type WarmUpPlan } from './warm-up/plan.ts';
import type { WarmUpProgress } from './warm-up/progress.ts';
import { deleteDays, findHandedOver } from './warm-up/queries.ts';

const MAX_DOMAINS = 20;
/** Another check this soon would find nothing new. */
const CHECKED_LATELY_MS = 5_000;

export interface SendingDomainsDeps extends CheckDeps {
  companies: CompanyCache<SendingCompany>;
  /** The name that tracking hosts must point to; null if there is none. */
  publicHost: string | null;
  /** Whether a host is a name of the installation. */
  isOwnHost(host: string): boolean;
  /** Encrypts a secret with the master key; ciphertext in base64. */
  sealSecret(secret: string): string;
}

export type SendingDomainsService = ReturnType<typeof createSendingDomainsService>;

/** The domains that a company sends from, with their keys and the checks of their DNS records. */
export function createSendingDomainsService(deps: SendingDomainsDeps) {
  const { db, companies, spfInclude, publicHost, isOwnHost, sealSecret, refreshSettings } = deps;
  const makeKey = createDomainKeyMaker();
  const record = (row: queries.DomainRow, counted: Counted = new Map()): SendingDomain =>
    domainRecord(row, { spfInclude, publicHost }, counted);

  /** Includes what was handed over on each day of their warm-ups. */
  async function recordsOf(lane: Queryable, companyId: number, rows: queries.DomainRow[]): Promise<SendingDomain[]> {
    const counted = await countedOf(lane, companyId, rows);
    return rows.map((row) => record(row, counted));
  }

  return {
    async listDomains(companyId: number, query: { page?: number; per_page?: number }): Promise<Page<SendingDomain>> {
      const { page, perPage, ...bounds } = pageOf(query);
      const { rows, total } = await queries.listDomains(db.lists(companyId), companyId, bounds);
      return { rows: await recordsOf(db.lists(companyId), companyId, rows), total, page, perPage };
    },

    /** Throws not_found. */
    async getDomain(companyId: number, id: number): Promise<SendingDomain> {
      const lane = db.points(companyId);
      const row = found(await queries.findDomain(lane, companyId, id), 'sending domain');
      return (await recordsOf(lane, companyId, [row]))[0]!;
    },

    /** Plans or ends a warm-up, names or removes the tracking host. Throws not_found, validation_failed. */
    async updateDomain(caller: Caller, id: number, patch: SendingDomainPatch): Promise<SendingDomain> {
      const { companyId, now } = caller;
      const { warm_up: plan, tracking_host: named } = patch;
      if (plan) requirePlan(plan);
      const domain = await write(db, caller, async (tx) => {
        const before = found(await queries.findDomain(tx, companyId, id, true), 'sending domain');
        if (plan !== undefined) await queries.setWarmUp(tx, companyId, id, plan);
        if (plan === null) await deleteDays(tx, companyId, id);
        if (named !== undefined) {
          const host = named === null ? null : trackingHostIn(named, before.domain, isOwnHost);
          await nameHost(tx, companyId, before, host, now);
        }
        const row = found(await queries.findDomain(tx, companyId, id), 'sending domain');
        await audit(tx, caller, 'sending_domain.update', row, {
          ...(plan === undefined ? {} : { warm_up: plan }),
          ...(named === undefined ? {} : { tracking_host: row.tracking_host }),
        });
        return (await recordsOf(tx, companyId, [row]))[0]!;
      });
      await refreshSettings();
      return domain;
    },

    /** Throws validation_failed. */
    async previewWarmUp(plan: WarmUpPlan): Promise<WarmUpPreview> {
      requirePlan(plan);
      return { ...plan, days: daysOf(plan).map((one) => ({ ...one, handed_over: 0 })) };
    },

    /** Returns how the warm-up of the sender's domain delays this many open messages; null if it does not. `sender` as in a campaign. */
    async warmUpOf(companyId: number, sender: string | null, open: number, now: Date): Promise<WarmUpProgress | null> {
      const company = await companies.get(companyId);
      if (company.warmUps.length === 0) return null;
      const warming = warmingDomainOf(company, senderOf(sender, company).address);
      const today = dayIn(company.timeZone, now);
      const quota = warming && quotaOn(warming.plan, today);
      if (warming === null || quota === null) return null;
      const counted = await findHandedOver(db.points(companyId), companyId, [warming.domain_id]);
      const handedOver = counted.find(({ day }) => day === today)?.handed_over ?? 0;
      const completes_on = completesOn(warming.plan, open, today, handedOver);
      return { domain: warming.domain, today: quota, handed_over_today: handedOver, completes_on };
    },

    /** Adds a domain with a new key. Throws validation_failed. */
    async createDomain(caller: Caller, input: SendingDomainInput): Promise<SendingDomain> {
      const { companyId, now } = caller;
      const domain = normaliseDomain(input.domain.replace(/\.$/, ''));
      if (domain === null) throw invalidField('domain', 'domain must be the name of a domain', 'wrong_format');
      const { tracking_host: named } = input;
      const host = named === undefined ? null : trackingHostIn(named, domain, isOwnHost);
      // Before a key is made, which takes long.
      await requireRoom(db.points(companyId), companyId, domain);
      const key = await makeKey(companyId);
      const sealedKey = sealSecret(key.privateKey);
      return write(db, caller, async (tx) => {
        await requireRoom(tx, companyId, domain);
        const row = await queries.insertDomain(tx, companyId, { domain, key, sealedKey, now, dueAt: firstCheck(now) });
        if (row === undefined) throw taken(domain);
        await audit(tx, caller, 'sending_domain.create', row, host === null ? {} : { tracking_host: host });
        if (host === null) return record(row);
        await nameHost(tx, companyId, row, host, now);
        return record(found(await queries.findDomain(tx, companyId, row.id), 'sending domain'));
      });
    },

    /** Checks the DNS and records the result. Throws not_found. */
    async checkDomain(caller: Caller, id: number): Promise<SendingDomain> {
      const { companyId, now } = caller;
      const known = found(await queries.findDomain(db.points(companyId), companyId, id), 'sending domain');
      const isFresh = known.checked_at !== null && now.getTime() - known.checked_at.getTime() < CHECKED_LATELY_MS;
      const asked = { companyId, row: known, key: keyOf(known, publicHost), now };
      const findings = isFresh ? null : await examineAll(deps, asked);
      const domain = await write(db, caller, async (tx) => {
        const row = found(await queries.findDomain(tx, companyId, id, true), 'sending domain');
        return record(findings === null ? row : await settleCheck(tx, companyId, row, known, findings, now));
      });
      const isOther = domain.state !== known.state || domain.tracking_state !== trackingStateOf(known);
      if (isOther) await refreshSettings();
      return domain;
    },

    /** Throws not_found. */
    async deleteDomain(caller: Caller, id: number): Promise<{ domain_id: number; deleted: boolean }> {
      const deleted = await write(db, caller, async (tx) => {
        const { domain, tracking_host } = found(await queries.deleteDomain(tx, caller.companyId, id), 'sending domain');
        await releaseHost(tx, caller.companyId, tracking_host);
        await deleteDays(tx, caller.companyId, id);
        await audit(tx, caller, 'sending_domain.delete', { id, domain });
        return { domain_id: id, deleted: true };
      });
      await refreshSettings();
      return deleted;
    },
  };
}

/** Throws validation_failed. */
async function requireRoom(db: Queryable, companyId: number, domain: string): Promise<void> {
  const { n, has } = await queries.countDomains(db, companyId, domain);
  if (has) throw taken(domain);
  if (n >= MAX_DOMAINS) throw invalidField('domain', `A company has at most ${MAX_DOMAINS} sending domains`);
}

function taken(domain: string): AppError {
  return invalidField('domain', `The company has the domain ${domain}`, 'taken');
}

export function keyOf(row: queries.DomainRow, publicHost: string | null): DomainKey {
  const { domain, selector, public_key: publicKey, tracking_host: host } = row;
  return { domain, selector, publicKey, tracking: host === null ? null : { host, target: publicHost } };
}

/** Records the check of a domain locked by the transaction. `asked`: the domain as it was when the DNS was queried. */
export async function settleCheck(
  tx: Tx,
  companyId: number,
  row: queries.DomainRow,
  asked: queries.DomainRow,
  responses: Findings,
  now: Date,
): Promise<queries.DomainRow> {
  const { tracking, ...others } = responses;
  const ofThisHost = tracking !== undefined && asked.tracking_host === row.tracking_host;
  const before = { state: row.state, verifiedAt: row.verified_at, failingSince: row.failing_since };
  const standing = standingAfter(before, others, now);
  const checked = { findings: ofThisHost ? responses : others, standing, now };
  const { findings, active, since } = await settleHost(tx, companyId, row, checked);
  const dueAt = nextCheck(standing, findings, row.created_at, now, active ? null : since);
  return queries.recordCheck(tx, companyId, row.id, { ...standing, findings, now, dueAt });
}

async function audit(
  tx: Tx,
  caller: Caller,
  action: string,
  { id, domain }: { id: number; domain: string },
  changes: object = {},
) {
  const { actor, now: at } = caller;
  const entry = { at, actor, action, target: `sending_domain:${id}`, details: { domain, ...changes } };
  await recordAuditEntry(tx, caller.companyId, entry);
}

/** Keyed by `domain_id day`. */
type Counted = Map<string, number>;

async function countedOf(lane: Queryable, companyId: number, rows: queries.DomainRow[]): Promise<Counted> {
  const ids = rows.filter(({ warm_up }) => warm_up !== null).map(({ id }) => id);
  const counted = ids.length === 0 ? [] : await findHandedOver(lane, companyId, ids);
  return new Map(counted.map(({ domain_id, day, handed_over }) => [`${domain_id} ${day}`, handed_over]));
}

function requirePlan({ starts_on, ends_on }: WarmUpPlan): void {
  const days = daysBetween(starts_on, ends_on) + 1;
  const field = 'warm_up.ends_on';
  if (days < 1) throw invalidField(field, 'ends_on must not be before starts_on', 'out_of_range');
  if (days > MOST_DAYS) throw invalidField(field, `A warm-up takes at most ${MOST_DAYS} days`, 'out_of_range');
}

function warmUpRecord({ id, warm_up }: queries.DomainRow, counted: Counted): WarmUpPreview | null {
  if (warm_up === null) return null;
  const days = daysOf(warm_up).map((one) => ({ ...one, handed_over: counted.get(`${id} ${one.day}`) ?? 0 }));
  return { ...warm_up, days };
}

function trackingStateOf(row: queries.DomainRow): SendingDomain['tracking_state'] {
  const { tracking_host: host, tracking_active: active, findings } = row;
  if (host === null) return null;
  if (active) return 'verified';
  const found = findings.tracking?.state;
  if (found === 'no_https') return 'no_https';
  // A host verified at some earlier time has no findings until it is checked again.
  return active === false && found !== undefined && found !== 'taken' ? 'failing' : 'pending';
}

function domainRecord(
  row: queries.DomainRow,
  { spfInclude, publicHost }: { spfInclude: string | null; publicHost: string | null },
  counted: Counted,
): SendingDomain {
  const at = (moment: Date | null): string | null => moment && formatTimestamp(moment);
  return {
    domain_id: row.id,
    domain: row.domain,
    state: row.state,
    records: wantedRecords(keyOf(row, publicHost), spfInclude).map(({ purpose, ...wanted }) => {
      const { state, found: there } = row.findings[purpose] ?? { state: 'unchecked' as const, found: null };
      return { purpose, ...wanted, state, found: there };
    }),
    tracking_host: row.tracking_host,
    tracking_state: trackingStateOf(row),
    warm_up: warmUpRecord(row, counted),
    verified_at: at(row.verified_at),
    failing_since: at(row.failing_since),
    checked_at: at(row.checked_at),
    created_at: formatTimestamp(row.created_at),
  };
}
