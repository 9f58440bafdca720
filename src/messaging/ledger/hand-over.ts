import type { KeyObject } from 'node:crypto';
import type { Tx } from '../../db/pool.ts';
import { type DomainBackoffs, NO_BACKOFFS } from '../gate/domain-backoffs.ts';
import { decideHandOver, type GateFacts, type Wait } from '../gate/gate.ts';
import { readFacts } from '../gate/gate-facts.ts';
import type { OutgoingMessage } from '../send/transports/port.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { ClaimedMessage } from './message.ts';
import type { HandOver, Settled } from './settle-queries.ts';

/** A claimed message with its composed content. */
export interface ReadyMessage {
  message: ClaimedMessage;
  outgoing: OutgoingMessage;
  transport: string;
}

/** The gate's decisions: messages that are handed over, and the outcomes of the others. */
export interface Decided {
  going: HandOver[];
  settled: Settled[];
}

/**
 * Decides on each claimed message at the gate. The facts are read under locks held until COMMIT: acknowledged changes are seen, and later
 * ones find the message handed over.
 */
export async function decideHandOvers(
  tx: Tx,
  company: SendingCompany,
  tokenKey: KeyObject,
  ready: ReadyMessage[],
  now: Date,
  backoffs: Pick<DomainBackoffs, 'until'> = NO_BACKOFFS,
): Promise<Decided> {
  const factsOf = await readFacts(tx, company, tokenKey, ready, now);
  /** Marketing messages of this set by contact, because they count towards each other's limits. */
  const counted = new Map<number, number>();
  const decided: Decided = { going: [], settled: [] };
  ready.forEach((one, i) => {
    const { message, outgoing, transport } = one;
    const { id, epoch, contactId, transactional } = message;
    const facts = factsOf(one, i);
    const already = contactId === null || transactional ? 0 : (counted.get(contactId) ?? 0);
    const backoffUntil = backoffs.until(message, outgoing.to, now);
    const verdict = decideHandOver(message, withCounted(facts, already), company, now);
    if (verdict.kind === 'skip') decided.settled.push({ id, epoch, status: 'skipped', reason: verdict.reason });
    else if (verdict.kind === 'wait') decided.settled.push(putOff(message, verdict, now));
    // Composed for an outdated address, or while the contact changed its frequency: queue it again.
    else if (facts.address !== outgoing.to || (!transactional && facts.unsure))
      decided.settled.push({ id, epoch, status: 'queued' });
    else if (backoffUntil !== null)
      decided.settled.push({ id, epoch, status: 'queued', reason: 'retry_domain', dueAt: backoffUntil });
    else {
      decided.going.push({ id, epoch, recipient: outgoing.to, transport });
      if (contactId !== null && !transactional) counted.set(contactId, already + 1);
    }
  });
  return decided;
}

/** Returns the facts, including messages of the same hand-over that already go to the contact. */
function withCounted<F extends GateFacts>(facts: F, already: number): F {
  if (already === 0) return facts;
  const wished = facts.contact?.recentWished ?? null;
  const contact = facts.contact && { ...facts.contact, recentWished: wished === null ? null : wished + already };
  return { ...facts, recent: facts.recent + already, contact };
}

/** Returns the postponement caused by a wait of the gate. A planned wait does not count as lateness. */
export function putOff({ id, epoch, wantedAt }: ClaimedMessage, { until, planned }: Wait, now: Date): Settled {
  const moved = planned === true ? new Date(wantedAt.getTime() + until.getTime() - now.getTime()) : undefined;
  return { id, epoch, status: 'queued', dueAt: until, wantedAt: moved };
}
