import type { KeyObject } from 'node:crypto';
import type { Db } from '../db/pool.ts';
import { decideSteps, type ReadyMessage } from './hand-over.ts';
import { moveMessages } from './ledger-queries.ts';
import { stepAfter } from './outcomes.ts';
import { type Delivered, drawConsequences, forgetRefusals, hasConsequences } from './record.ts';
import type { SendingCompany } from './settings.ts';

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
): Promise<Set<number>> {
  const { companyId } = company;
  return db.tenantTx(companyId, async (tx) => {
    const next = ready.length === 0 ? [] : await decideSteps(tx, company, tokenKey, ready, now);
    const ended = delivered.map(({ message, result }) => stepAfter(message, result, now));
    const moving = moveMessages(tx, companyId, [...ended, ...next], now);
    const forgetting = forgetRefusals(tx, companyId, delivered);
    const consequential = delivered.filter(hasConsequences);
    if (consequential.length > 0) {
      const recorded = await moving;
      await drawConsequences(
        tx,
        companyId,
        tokenKey,
        consequential.filter(({ message }) => recorded.has(message.id)),
        now,
      );
    }
    await tx.commitAfter([moving, forgetting]);
    const moved = await moving;
    return new Set(next.flatMap(({ id, status }) => (status === 'handing_over' && moved.has(id) ? [id] : [])));
  });
}
