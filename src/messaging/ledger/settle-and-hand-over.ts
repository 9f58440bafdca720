import type { KeyObject } from 'node:crypto';
import type { Db } from '../../db/pool.ts';
import { endDoubts } from '../feedback/activity-queries.ts';
import type { DomainRests } from '../gate/domain-rests.ts';
import type { SendingCompany } from '../settings/settings.ts';
import { type Delivered, drawConsequences, forgetRefusals, hasConsequences } from './deliveries.ts';
import { decideHandOvers, type ReadyMessage } from './hand-over.ts';
import { settledBy } from './outcomes.ts';
import { handOverMessages, settleMessages } from './settle-queries.ts';

/** What became of some messages, and others that are to go next. */
export interface Exchange {
  delivered: Delivered[];
  ready: ReadyMessage[];
}

/**
 * One transaction between the ledger and those who deliver. It writes what became of hand-overs, and moves others from
 * `claimed` to `handing_over`, committed before a transport sees them. Gives the ids that are to be delivered: the others
 * were skipped, put off, or are no longer ours. A delivery whose claim has ended stays `unknown`: nothing is recorded for it
 * but what a person decides.
 */
export async function exchange(
  db: Db,
  company: SendingCompany,
  tokenKey: KeyObject,
  { delivered, ready }: Exchange,
  now: Date,
  rests?: Pick<DomainRests, 'until'>,
): Promise<Set<number>> {
  const { companyId } = company;
  return db.tenantTx(companyId, async (tx) => {
    const { going, settled } =
      ready.length === 0 ? { going: [], settled: [] } : await decideHandOvers(tx, company, tokenKey, ready, now, rests);
    settled.push(...delivered.map(({ message, result }) => settledBy(message, result, now)));
    const settling = settled.length === 0 ? new Set<number>() : settleMessages(tx, companyId, settled, now);
    const handingOver = going.length === 0 ? new Set<number>() : handOverMessages(tx, companyId, going, now);
    const forgetting = forgetRefusals(tx, companyId, delivered);
    const doubtful = settled.filter(({ status }) => status === 'unknown').map(({ id }) => id);
    const believing = doubtful.length === 0 ? null : endDoubts(tx, companyId, doubtful, now);
    const written = [settling, handingOver, forgetting, believing].map((one) => Promise.resolve<unknown>(one));
    // Where the connection is lost all fail, and the first is heard of: the others must not end the process as unheard.
    for (const one of written) one.catch(() => {});
    const consequential = delivered.filter(hasConsequences);
    if (consequential.length > 0) {
      const recorded = await settling;
      const held = consequential.filter(({ message }) => recorded.has(message.id));
      await drawConsequences(tx, companyId, tokenKey, held, now);
    }
    await tx.commitAfter(written);
    return handingOver;
  });
}
