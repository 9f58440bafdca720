import type { KeyObject } from 'node:crypto';
import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { ConsentChange } from '../../recipients/consent.ts';
import { insertActivity } from '../feedback/activity-queries.ts';
import type { DeliveryResult } from '../send/transports/port.ts';
import { createSuppressions, type Suppressions } from '../suppressions/suppressions.ts';
import type { ClaimedMessage } from './message.ts';
import type { Settled } from './settle-queries.ts';

/** What follows from the result of a delivery: the outcome of the message, and its consequences for flow, contact and address. */

/** What becomes of contacts. Injected in app.ts, since the folder of contacts uses this one. */
export interface ContactChanges {
  changeConsents(
    tx: Tx,
    companyId: number,
    suppressions: Suppressions,
    ids: number[],
    change: ConsentChange,
  ): Promise<void>;
  /** Records that mails to these contacts bounced permanently, or too often. */
  markBounced(tx: Tx, companyId: number, ids: number[], now: Date): Promise<void>;
}

/** The origin of a message that was sent, with the fields that flows need. */
type SentOrigin = { kind: 'flow'; flowId: number; stepId: string } | { kind: 'campaign' | 'system' };

/** What recording deliveries requires from other folders. */
export interface DeliveryConsequences extends ContactChanges {
  /** Counts sent messages of flows; ignores other origins. */
  countSent(tx: Tx, companyId: number, origins: readonly SentOrigin[]): Promise<void>;
}

/** The result of a transport for a message that was handed over. */
export interface Delivered {
  message: ClaimedMessage;
  to: string;
  result: DeliveryResult;
}

/** Maximum number of attempts at one message; with the pauses between them they take about eleven hours. */
const MAX_ATTEMPTS = 8;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3 * 3_600_000;

/** Converts the result of a hand-over to its form in the ledger. */
export function settledBy(message: ClaimedMessage, result: DeliveryResult, now: Date): Settled {
  const { attempts } = message;
  const held = { id: message.id, epoch: message.epoch, attempt: true } as const;
  if (result.kind === 'sent') return { ...held, status: 'sent', reply: result.reply };
  if (result.kind === 'unknown') return { ...held, status: 'unknown', reason: result.reason };
  const { reply, fault } = result;
  if (result.permanent) return { ...held, status: 'failed', reason: `refused_${fault}`, reply };
  if (attempts + 1 >= MAX_ATTEMPTS) {
    return { ...held, status: 'failed', reason: `gave_up_${fault}`, reply };
  }
  const dueAt = new Date(now.getTime() + pauseAfter(attempts + 1));
  return { ...held, status: 'queued', reason: `retry_${fault}`, reply, dueAt };
}

/** Returns the milliseconds between the n-th attempt and the next one. */
function pauseAfter(attempt: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 3 ** (attempt - 1));
}

/** Returns what a result says about the recipient's address: only a fault of the recipient is a bounce. */
function bounceOf(result: DeliveryResult): 'hard' | 'soft' | null {
  if (result.kind !== 'failed' || result.fault !== 'recipient') return null;
  return result.permanent ? 'hard' : 'soft';
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
  { tokenKey, consequences }: { tokenKey: KeyObject; consequences: DeliveryConsequences },
  recorded: Delivered[],
  now: Date,
): Promise<void> {
  const gone = recorded.filter(({ result }) => result.kind === 'sent');
  await consequences.countSent(
    tx,
    companyId,
    gone.map(({ message }) => message.origin),
  );
  const hard = recorded.filter(({ result }) => bounceOf(result) === 'hard');
  if (hard.length > 0) {
    await suppressHard(tx, companyId, createSuppressions(tokenKey), consequences, hard, now);
    const refused = hard.map(({ message }) => ({ messageId: message.id, type: 'refused' as const }));
    await insertActivity(tx, companyId, refused, now);
  }
  const mails = recorded.filter(({ message }) => message.channel === 'email');
  // A refusal that is retried counts only once it is final.
  const soft = mails.filter(({ message, result }) => {
    return bounceOf(result) === 'soft' && settledBy(message, result, now).status !== 'queued';
  });
  const hardMails = mails.filter(({ result }) => bounceOf(result) === 'hard');
  await countBounces(tx, companyId, consequences, { hard: contactsOf(hardMails), soft: contactsOf(soft) }, now);
}

/** An opt-out reported by the SMS provider counts as unsubscribing; all other hard bounces mean a dead address. */
async function suppressHard(
  tx: Tx,
  companyId: number,
  suppressions: Suppressions,
  contacts: ContactChanges,
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
  await contacts.changeConsents(tx, companyId, suppressions, optedOut, { ...change, now });
}

const OPT_OUT = { cause: 'unsubscribe', source: 'sms_keyword' } as const;

/** Records contacts as bounced after one hard bounce, or after the fifth soft one in a row. */
export async function countBounces(
  tx: Tx,
  companyId: number,
  contacts: ContactChanges,
  { hard, soft }: { hard: number[]; soft: number[] },
  now: Date,
): Promise<void> {
  const counted = soft.length === 0 ? [] : await countSoftBounces(tx, companyId, soft, now);
  const worn = counted.filter((row) => row.in_a_row >= MAX_SOFT_BOUNCES).map((row) => row.contact_id);
  const bounced = [...new Set([...hard, ...worn])];
  if (bounced.length > 0) await contacts.markBounced(tx, companyId, bounced, now);
}

function contactsOf(delivered: Delivered[]): number[] {
  return [...new Set(delivered.flatMap(({ message }) => message.contactId ?? []))];
}

/**
 * Resets the count of refusals after a delivery. If refusals are reported later, by a relay that accepts every mail, the next accepted mail
 * proves nothing, but one without a report for four days does: relays retry for three.
 */
async function forgetSoftBounces(tx: Tx, companyId: number, contactIds: number[]): Promise<void> {
  await tx.query(sql`
    delete from soft_bounces b
    where b.company_id = ${companyId} and b.contact_id = any(${contactIds}::bigint[]) and (b.reported_at is null or (
      select max(m.handed_over_at) - min(m.handed_over_at) from messages m
      where m.company_id = ${companyId} and m.contact_id = b.contact_id and m.channel = 'email'
        and m.handed_over_at > b.reported_at) > interval '4 days')`);
}

/** Counts one more temporary refusal of each contact's address; returns how many there are in a row. */
function countSoftBounces(
  tx: Tx,
  companyId: number,
  contactIds: number[],
  now: Date,
): Promise<{ contact_id: number; in_a_row: number }[]> {
  return tx.query(sql`
    insert into soft_bounces as b (company_id, contact_id, email, in_a_row, updated_at)
    select ${companyId}, c.id, c.email, 1, ${now} from contacts c
    where c.company_id = ${companyId} and c.id = any(${contactIds}::bigint[]) order by c.id
    on conflict (company_id, contact_id) do update set email = excluded.email, updated_at = excluded.updated_at,
      in_a_row = case when b.email <> excluded.email then 1 else b.in_a_row + 1 end
    returning contact_id, in_a_row`);
}
