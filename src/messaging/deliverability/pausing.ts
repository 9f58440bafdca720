import type { Logger } from 'pino';
import { recordAuditEntry } from '../../access/audit.ts';
import type { CompanyCache } from '../../access/company-cache.ts';
import type { Clock } from '../../clock.ts';
import type { SendingLimits } from '../../config.ts';
import type { Db, Tx } from '../../db/pool.ts';
import type { QueuedMessage } from '../ledger/message.ts';
import { insertMessages } from '../ledger/queries.ts';
import type { SendingCompany } from '../settings/settings.ts';
import { wantsMail } from '../staff-notices/mailing.ts';
import { findMembers, insertNotices } from '../staff-notices/queries.ts';
import * as queries from './queries.ts';
import { limitsOf, type PauseReason, ratesOf, reasonToPause } from './rates.ts';
import { firstDay } from './window.ts';

export interface PausingDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  companies: CompanyCache<SendingCompany>;
  /** The installation's limits. */
  limits: SendingLimits;
  /** The base URL of this server, without a trailing slash. */
  origin: () => string;
  /** Makes this process see a pause at once; other processes see it within a second. */
  refreshSettings(): Promise<void>;
}

/**
 * Pauses the marketing e-mail of companies whose rate of complaints or hard bounces exceeds its limit. Pause, paused campaigns, audit entry
 * and notices are one transaction, so that only one of several processes does it, once. Returns how many companies were paused.
 * See docs/design/deliverability.md.
 */
export async function pauseAboveLimits(deps: PausingDeps): Promise<number> {
  const { db, clock, log, companies, limits, refreshSettings } = deps;
  let paused = 0;
  for (const measured of await queries.findMeasured(db, firstDay(clock.now()), limits.least_messages)) {
    const companyId = measured.company_id;
    const company = await companies.get(companyId);
    const own = limitsOf(limits, company);
    const reason = reasonToPause(measured, own);
    if (reason === null) continue;
    const rate = ratesOf(measured)[reason];
    // People belong to the installation, so a company's own transaction cannot see them.
    const campaigns = await db.tx((tx) => pause(deps, tx, company, { measured, reason, rate, limit: own[reason] }));
    if (campaigns === null) continue;
    paused += 1;
    log.error(
      { company_id: companyId, reason, rate, limit: own[reason], campaigns },
      'marketing e-mail of a company is paused: a rate is above its limit',
    );
  }
  if (paused > 0) await refreshSettings();
  return paused;
}

interface Finding {
  measured: queries.MeasuredRow;
  reason: PauseReason;
  rate: number;
  limit: number;
}

/** Returns how many campaigns were paused; null if another process did it, or a person resumed sending meanwhile. */
async function pause(
  { clock, origin }: PausingDeps,
  tx: Tx,
  { companyId, name }: SendingCompany,
  { measured, reason, rate, limit }: Finding,
): Promise<number | null> {
  const now = clock.now();
  if (!(await queries.beginPause(tx, measured, reason, now))) return null;
  const campaigns = await queries.pauseCampaigns(tx, companyId, reason, now);
  const { sent, refused, bounced, complained } = measured;
  const details = { reason, rate, limit, sent, bounced: bounced + refused, complained, campaigns };
  const entry = { action: 'marketing_email.pause', target: 'deliverability', details };
  await recordAuditEntry(tx, companyId, { at: now, actor: 'program', ...entry });
  await insertNotices(tx, companyId, [{ kind: 'sending_paused', record: null, details: { reason } }], now);
  const members = await findMembers(tx, companyId, 'sending_paused');
  const people = members.filter((member) => wantsMail('sending_paused', member));
  const url = `${origin()}/admin/${companyId}/settings/deliverability`;
  const notices = people.map(({ person_id, email, language }): QueuedMessage => {
    const shares = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 });
    const data = { language, reason, url, shop: { name }, rate: shares.format(rate), limit: shares.format(limit) };
    return {
      idemKey: `t:marketing-paused:${now.getTime()}:${person_id}`,
      channel: 'email',
      contactId: null,
      recipient: email,
      transactional: true,
      dueAt: now,
      origin: { kind: 'system', template: 'marketing_paused', data },
    };
  });
  if (notices.length > 0) await insertMessages(tx, companyId, notices, now);
  return campaigns;
}
