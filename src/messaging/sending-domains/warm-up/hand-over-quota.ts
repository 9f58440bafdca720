import type { Tx } from '../../../db/pool.ts';
import type { Decided, ReadyMessage } from '../../ledger/hand-over.ts';
import type { HandOver, Settled } from '../../ledger/settle-queries.ts';
import type { SendingCompany } from '../../settings/settings.ts';
import { warmingDomainOf } from './domain-of.ts';
import { dayIn, nextDayIn, quotaOn } from './plan.ts';
import { grant, type Wanted } from './queries.ts';

/** Called for a campaign whose messages wait until a given time. */
export type OnCampaignWaits = (companyId: number, campaignId: number, until: Date) => void;

/**
 * Removes from a hand-over the messages that the domains' plans do not allow today, in the same transaction. Does not access the database
 * for companies without a plan.
 */
export async function limitToWarmUp(
  tx: Tx,
  company: SendingCompany,
  ready: ReadyMessage[],
  { going, settled }: Decided,
  now: Date,
  onCampaignWaits?: OnCampaignWaits,
): Promise<Decided> {
  if (company.warmUps.length === 0 || going.length === 0) return { going, settled };
  const { companyId, timeZone } = company;
  const today = dayIn(timeZone, now);
  const readyById = new Map(ready.map((one) => [one.message.id, one]));
  const wanted = new Map<number, Wanted>();
  const domainIds = going.map(({ id }) => {
    const { message, outgoing } = readyById.get(id)!;
    if (message.transactional || outgoing.channel !== 'email') return null;
    const warming = warmingDomainOf(company, outgoing.from);
    const quota = warming && quotaOn(warming.plan, today);
    if (warming === null || quota === null) return null;
    const { domain_id } = warming;
    wanted.set(domain_id, { domain_id, quota, messages: (wanted.get(domain_id)?.messages ?? 0) + 1 });
    return domain_id;
  });
  if (wanted.size === 0) return { going, settled };
  const left = await grant(tx, companyId, today, [...wanted.values()]);
  const until = nextDayIn(timeZone, now);
  const allowed: HandOver[] = [];
  const waiting: Settled[] = [];
  going.forEach((one, i) => {
    const domainId = domainIds[i]!;
    const granted = domainId === null ? 1 : left.get(domainId)!;
    if (granted > 0) {
      if (domainId !== null) left.set(domainId, granted - 1);
      allowed.push(one);
    } else waiting.push(putOff(readyById.get(one.id)!, until, now, onCampaignWaits));
  });
  return { going: allowed, settled: [...settled, ...waiting] };
}

/**
 * Waiting for the next day does not make a message late. A campaign with one sender waits as a whole: its messages are released unchanged,
 * since otherwise a million of them might be written each day.
 */
function putOff({ message }: ReadyMessage, until: Date, now: Date, onCampaignWaits?: OnCampaignWaits): Settled {
  const { id, epoch, origin, companyId, wantedAt } = message;
  if (origin.kind === 'campaign' && origin.variant == null && onCampaignWaits !== undefined) {
    onCampaignWaits(companyId, origin.campaignId, until);
    return { id, epoch, status: 'queued' };
  }
  const moved = new Date(wantedAt.getTime() + until.getTime() - now.getTime());
  return { id, epoch, status: 'queued', reason: 'warm_up', dueAt: until, wantedAt: moved };
}
