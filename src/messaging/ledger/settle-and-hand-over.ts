import type { KeyObject } from 'node:crypto';
import type { Db } from '../../db/pool.ts';
import { resolveUnknown } from '../feedback/activity-queries.ts';
import type { DomainBackoffs } from '../gate/domain-backoffs.ts';
import { limitToWarmUp, type OnCampaignWaits } from '../sending-domains/warm-up/hand-over-quota.ts';
import type { SendingCompany } from '../settings/settings.ts';
import { type Delivered, drawConsequences, forgetRefusals, hasConsequences } from './deliveries.ts';
import { type Decided, decideHandOvers, type ReadyMessage } from './hand-over.ts';
import { settledBy } from './outcomes.ts';
import { handOverMessages, settleMessages } from './settle-queries.ts';

/** Results of deliveries, and messages to hand over next. */
export interface SettleAndHandOver {
  delivered: Delivered[];
  ready: ReadyMessage[];
}

/**
 * Records results and changes other messages from `claimed` to `handing_over`, in one transaction that commits before a transport sees
 * them. Returns the ids to deliver: the others were skipped or postponed, or their claim was lost. A message whose claim expired stays
 * `unknown`: its result is not recorded, and a person decides.
 */
export async function settleAndHandOver(
  db: Db,
  company: SendingCompany,
  tokenKey: KeyObject,
  { delivered, ready }: SettleAndHandOver,
  now: Date,
  backoffs?: Pick<DomainBackoffs, 'until'>,
  onCampaignWaits?: OnCampaignWaits,
): Promise<Set<number>> {
  const { companyId } = company;
  return db.tenantTx(companyId, async (tx) => {
    const decided: Decided =
      ready.length === 0
        ? { going: [], settled: [] }
        : await decideHandOvers(tx, company, tokenKey, ready, now, backoffs);
    const { going, settled } = await limitToWarmUp(tx, company, ready, decided, now, onCampaignWaits);
    settled.push(...delivered.map(({ message, result }) => settledBy(message, result, now)));
    const settling = settled.length === 0 ? new Set<number>() : settleMessages(tx, companyId, settled, now);
    const handingOver = going.length === 0 ? new Set<number>() : handOverMessages(tx, companyId, going, now);
    const forgetting = forgetRefusals(tx, companyId, delivered);
    const unknownIds = settled.filter(({ status }) => status === 'unknown').map(({ id }) => id);
    const resolving = unknownIds.length === 0 ? null : resolveUnknown(tx, companyId, unknownIds, now);
    const written = [settling, handingOver, forgetting, resolving].map((one) => Promise.resolve<unknown>(one));
    // If the connection is lost, all reject and the first one is reported; the others must not become unhandled rejections.
    for (const one of written) one.catch(() => {});
    const consequential = delivered.filter(hasConsequences);
    if (consequential.length > 0) {
      const recorded = await settling;
      const settledByUs = consequential.filter(({ message }) => recorded.has(message.id));
      await drawConsequences(tx, companyId, tokenKey, settledByUs, now);
    }
    await tx.commitAfter(written);
    return handingOver;
  });
}
