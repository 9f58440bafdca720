import type { KeyObject } from 'node:crypto';
import type { Tx } from '../../db/pool.ts';
import { changeConsents, markBounced as markContactsBounced } from '../../marketing/contacts/service.ts';
import { countSent } from '../../marketing/flows/service.ts';
import { insertActivity } from '../feedback/activity-queries.ts';
import type { DeliveryResult } from '../send/transports/port.ts';
import { createSuppressions, type Suppressions } from '../suppressions/suppressions.ts';
import { countSoftBounces, forgetSoftBounces } from './delivery-queries.ts';
import type { ClaimedMessage } from './message.ts';
import { bounceOf, settledBy } from './outcomes.ts';

/** The result of a transport for a message that was handed over. */
export interface Delivered {
  message: ClaimedMessage;
  to: string;
  result: DeliveryResult;
}

/** Temporary refusals in a row after which an address counts as dead. */
const MAX_SOFT_BOUNCES = 5;

/** Whether a delivery has consequences other than its row in the ledger and resetting the count of refusals. */
export function hasConsequences({ message, result }: Delivered): boolean {
  return result.kind === 'failed' || message.origin.kind === 'flow';
}

/** A delivery resets the count of temporary refusals, even one so slow that its claim has expired. */
export async function forgetRefusals(tx: Tx, companyId: number, delivered: Delivered[]): Promise<void> {
  const sent = contactsOf(
    delivered.filter(({ message, result }) => message.channel === 'email' && result.kind === 'sent'),
  );
  if (sent.length > 0) await forgetSoftBounces(tx, companyId, sent);
}

/** Applies the consequences of recorded deliveries. */
export async function drawConsequences(
  tx: Tx,
  companyId: number,
  tokenKey: KeyObject,
  recorded: Delivered[],
  now: Date,
): Promise<void> {
  const gone = recorded.filter(({ result }) => result.kind === 'sent');
  await countSent(
    tx,
    companyId,
    gone.map(({ message }) => message.origin),
  );
  const hard = recorded.filter(({ result }) => bounceOf(result) === 'hard');
  if (hard.length > 0) {
    await suppressHard(tx, companyId, createSuppressions(tokenKey), hard, now);
    const refused = hard.map(({ message }) => ({ messageId: message.id, type: 'refused' as const }));
    await insertActivity(tx, companyId, refused, now);
  }
  const mails = recorded.filter(({ message }) => message.channel === 'email');
  // A refusal that is retried counts only once it is final.
  const soft = mails.filter(({ message, result }) => {
    return bounceOf(result) === 'soft' && settledBy(message, result, now).status !== 'queued';
  });
  const hardMails = mails.filter(({ result }) => bounceOf(result) === 'hard');
  await markBounced(tx, companyId, contactsOf(hardMails), contactsOf(soft), now);
}

/** An opt-out reported by the SMS provider counts as unsubscribing; all other hard bounces mean a dead address. */
async function suppressHard(
  tx: Tx,
  companyId: number,
  suppressions: Suppressions,
  hard: Delivered[],
  now: Date,
): Promise<void> {
  const isOptOut = ({ result }: Delivered): boolean => result.kind === 'failed' && result.optedOut === true;
  const entries = hard.map((one) => {
    const { message, to: address } = one;
    const why = isOptOut(one) ? OPT_OUT : ({ cause: 'bounce', source: null } as const);
    return { channel: message.channel, address, ...why };
  });
  await suppressions.add(tx, companyId, entries, now);
  const optedOut = contactsOf(hard.filter(isOptOut));
  if (optedOut.length === 0) return;
  const change = { channels: ['sms'], state: 'unsubscribed', source: OPT_OUT.source, cause: OPT_OUT.cause } as const;
  await changeConsents(tx, companyId, suppressions, optedOut, { ...change, now });
}

const OPT_OUT = { cause: 'unsubscribe', source: 'sms_keyword' } as const;

/** Records contacts as bounced after one hard bounce, or after the fifth soft one in a row. */
export async function markBounced(tx: Tx, companyId: number, hard: number[], soft: number[], now: Date): Promise<void> {
  const counted = soft.length === 0 ? [] : await countSoftBounces(tx, companyId, soft, now);
  const worn = counted.filter((row) => row.in_a_row >= MAX_SOFT_BOUNCES).map((row) => row.contact_id);
  const bounced = [...new Set([...hard, ...worn])];
  if (bounced.length > 0) await markContactsBounced(tx, companyId, bounced, now);
}

function contactsOf(delivered: Delivered[]): number[] {
  return [...new Set(delivered.flatMap(({ message }) => message.contactId ?? []))];
}
