import type { Tx } from '../../../db/pool.ts';
import type { ClaimedMessage } from '../../ledger/message.ts';
import type { Outcome } from '../../ledger/settle-queries.ts';
import type { CampaignBackoffs } from '../../send/backoffs.ts';
import type { OutgoingMessage } from '../../send/transports/port.ts';
import type { SendingCompany } from '../../settings/settings.ts';
import { warmingDomainOf } from './domain-of.ts';
import { dayIn, nextDayIn, quotaOn } from './plan.ts';
import { grant, type Wanted } from './queries.ts';

interface Composed {
  message: ClaimedMessage;
  outgoing: OutgoingMessage;
}

/**
 * Counts messages that are about to be handed over, in the same transaction. Returns an outcome for each that its domain's plan does not
 * allow today, and null for the others. Does not access the database for companies without a plan.
 */
export async function limitToWarmUp(
  tx: Tx,
  company: SendingCompany,
  going: readonly Composed[],
  now: Date,
  campaignBackoffs: Pick<CampaignBackoffs, 'note'>,
): Promise<(Outcome | null)[]> {
  const pass = going.map(() => null);
  if (company.warmUps.length === 0) return pass;
  const { companyId, timeZone } = company;
  const today = dayIn(timeZone, now);
  const wanted = new Map<number, Wanted>();
  const domainIds = going.map(({ message, outgoing }) => {
    if (message.transactional || outgoing.channel !== 'email') return null;
    const warming = warmingDomainOf(company, outgoing.from);
    const quota = warming && quotaOn(warming.plan, today);
    if (warming === null || quota === null) return null;
    const { domain_id } = warming;
    wanted.set(domain_id, { domain_id, quota, messages: (wanted.get(domain_id)?.messages ?? 0) + 1 });
    return domain_id;
  });
  if (wanted.size === 0) return pass;
  const left = await grant(tx, companyId, today, [...wanted.values()]);
  const until = nextDayIn(timeZone, now);
  return going.map(({ message }, i) => {
    const domainId = domainIds[i]!;
    if (domainId === null) return null;
    const granted = left.get(domainId)!;
    left.set(domainId, granted - 1);
    return granted > 0 ? null : untilNextDay(message, until, now, campaignBackoffs);
  });
}

/**
 * Waiting for the next day does not make a message late. A campaign with one sender waits as a whole: its messages are released unchanged,
 * since otherwise a million of them might be written each day.
 */
function untilNextDay(
  { companyId, origin, wantedAt }: ClaimedMessage,
  until: Date,
  now: Date,
  campaignBackoffs: Pick<CampaignBackoffs, 'note'>,
): Outcome {
  if (origin.kind === 'campaign' && origin.variant == null) {
    campaignBackoffs.note(companyId, origin.campaignId, until, now);
    return { status: 'queued' };
  }
  const moved = new Date(wantedAt.getTime() + until.getTime() - now.getTime());
  return { status: 'queued', reason: 'warm_up', dueAt: until, wantedAt: moved };
}
