import type { KeyObject } from 'node:crypto';
import type { Db, Tx } from '../db/pool.ts';
import { changeStatuses } from '../marketing/contacts/service.ts';
import { countSent } from '../marketing/flows/service.ts';
import { insertActivity } from './activity-queries.ts';
import { stepFrom } from './ledger-queries.ts';
import type { ClaimedMessage } from './message.ts';
import { bounceOf, stepAfter } from './outcomes.ts';
import { countSoftBounces, forgetSoftBounces, insertSuppressions } from './record-queries.ts';
import { suppressionHash } from './tokens.ts';
import type { DeliveryResult } from './transports/port.ts';

/** What a transport answered for a message that was handed over. */
export interface Delivered {
  message: ClaimedMessage;
  to: string;
  result: DeliveryResult;
}

/** Temporary refusals in a row that count as a dead address. */
const MAX_SOFT_BOUNCES = 5;

/**
 * Writes what became of hand-overs. One that took so long that its lease ended stays `unknown`: nothing is recorded for
 * it but what a person decides.
 */
export async function recordDelivered(
  db: Db,
  companyId: number,
  tokenKey: KeyObject,
  delivered: Delivered[],
  now: Date,
): Promise<void> {
  await db.tenantTx(companyId, async (tx) => {
    const steps = delivered.map(({ message, result }) => stepAfter(message, result, now));
    const moved = await stepFrom(tx, companyId, 'handing_over', steps, now);
    const mails = delivered.filter(({ message }, i) => {
      // A refusal that is tried again is counted when it has become final.
      return moved.has(message.id) && message.channel === 'email' && steps[i]!.status !== 'queued';
    });
    const gone = delivered.filter(({ message, result }) => moved.has(message.id) && result.kind === 'sent');
    await countSent(
      tx,
      companyId,
      gone.map(({ message }) => message.origin),
    );
    const sent = contactsOf(mails.filter(({ result }) => result.kind === 'sent'));
    if (sent.length > 0) await forgetSoftBounces(tx, companyId, sent);
    const hard = delivered.filter(({ message, result }) => moved.has(message.id) && bounceOf(result) === 'hard');
    const soft = contactsOf(mails.filter(({ result }) => bounceOf(result) === 'soft'));
    if (hard.length > 0) {
      await suppressHard(tx, companyId, tokenKey, hard, now);
      const refused = hard.map(({ message }) => ({ messageId: message.id, type: 'refused' as const }));
      await insertActivity(tx, companyId, refused, now);
    }
    await markBounced(tx, companyId, contactsOf(hard.filter(({ message }) => message.channel === 'email')), soft, now);
  });
}

async function suppressHard(
  tx: Tx,
  companyId: number,
  tokenKey: KeyObject,
  hard: Delivered[],
  now: Date,
): Promise<void> {
  const suppressions = hard.map(({ message: { channel }, to }) => {
    return { channel, hash: suppressionHash(tokenKey, channel, to), cause: 'bounce' as const };
  });
  await insertSuppressions(tx, companyId, suppressions, now);
}

/** Contacts after one hard bounce, or after the fifth soft one in a row. */
export async function markBounced(tx: Tx, companyId: number, hard: number[], soft: number[], now: Date): Promise<void> {
  const counted = soft.length === 0 ? [] : await countSoftBounces(tx, companyId, soft, now);
  const worn = counted.filter((row) => row.in_a_row >= MAX_SOFT_BOUNCES).map((row) => row.contact_id);
  const bounced = [...new Set([...hard, ...worn])];
  if (bounced.length > 0) await changeStatuses(tx, companyId, bounced, 'bounce', now);
}

function contactsOf(delivered: Delivered[]): number[] {
  return [...new Set(delivered.flatMap(({ message }) => message.contactId ?? []))];
}
