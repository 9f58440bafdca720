import { recordAuditEntry } from '../../access/audit.ts';
import type { CompanyCache } from '../../access/company-cache.ts';
import type { Caller } from '../../caller.ts';
import type { SendingLimits } from '../../config.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { formatTimestamp } from '../../lib/timestamps.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { Deliverability } from './contract.ts';
import * as queries from './queries.ts';
import { limitsOf, type PauseReason, ratesOf, reasonToWarn } from './rates.ts';
import { dayOf, firstDay } from './window.ts';

export interface DeliverabilityDeps {
  db: Db;
  companies: CompanyCache<SendingCompany>;
  /** The installation's limits. */
  limits: SendingLimits;
  /** Makes this process see a change at once; other processes see it within a second. */
  refreshSettings(): Promise<void>;
  /** Called so that campaigns continue. */
  onResumed(): void;
}

export type DeliverabilityService = ReturnType<typeof createDeliverabilityService>;

/** Reports a company's bounces and complaints against the limits, and the pause when they are exceeded. */
export function createDeliverabilityService(deps: DeliverabilityDeps) {
  const { db, companies, limits, refreshSettings, onResumed } = deps;

  async function record(lane: Queryable, companyId: number, now: Date): Promise<Deliverability> {
    const [company, pause] = await Promise.all([companies.get(companyId), queries.findPause(lane, companyId)]);
    const own = limitsOf(limits, company);
    const isPaused = pause?.paused_at != null;
    const totals = isPaused ? pause : await queries.findTotals(lane, companyId, firstDay(now));
    const reason = isPaused ? pause.reason : reasonToWarn(totals, own);
    const { sent, refused, bounced, complained } = totals;
    const moment = (at: Date | null | undefined): string | null => (at == null ? null : formatTimestamp(at));
    const resumedAt = pause?.resumed_at ?? null;
    const end = isPaused ? pause.paused_at! : now;
    return {
      state: isPaused ? 'paused' : reason === null ? 'ok' : 'warning',
      reason,
      paused_at: moment(pause?.paused_at),
      resumed_at: moment(resumedAt),
      from: firstDay(end, resumedAt),
      to: dayOf(end),
      sent,
      bounced: bounced + refused,
      complained,
      ...ratesOf(totals),
      limits: own,
    };
  }

  return {
    /** Returns the limits in effect for the company. */
    limitsOf: async (companyId: number): Promise<SendingLimits> => limitsOf(limits, await companies.get(companyId)),

    read: (companyId: number, now: Date): Promise<Deliverability> => record(db.points(companyId), companyId, now),

    /** Resumes marketing e-mail and restarts the measurement of its rates. Does nothing without a pause. */
    async resume(caller: Caller): Promise<Deliverability> {
      const { companyId, now, actor } = caller;
      const after = await write(db, caller, async (tx) => {
        const pause = await queries.findPause(tx, companyId, true);
        if (pause?.paused_at != null) {
          await queries.endPause(tx, companyId, dayOf(now), now);
          const campaigns = await queries.resumeCampaigns(tx, companyId, now);
          const details = { reason: pause.reason, paused_at: pause.paused_at.toISOString(), campaigns };
          const entry = { action: 'marketing_email.resume', target: 'deliverability', details };
          await recordAuditEntry(tx, companyId, { at: now, actor, ...entry });
        }
        return record(tx, companyId, now);
      });
      await refreshSettings();
      onResumed();
      return after;
    },
  };
}

/** Returns why the company's marketing e-mail is paused, as seen by the transaction; null if it is not. */
export async function pauseOf(db: Queryable, companyId: number): Promise<PauseReason | null> {
  const pause = await queries.findPause(db, companyId);
  return pause?.paused_at == null ? null : pause.reason;
}
