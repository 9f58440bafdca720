import { type KeyObject, randomBytes } from 'node:crypto';
import type { Caller } from '../../caller.ts';
import type { Tx } from '../../db/pool.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import type { Language } from '../../messaging/consent/languages.ts';
import { findLanguage } from '../../messaging/consent/preference-queries.ts';
import { signToken, type TokenContent } from '../../messaging/consent/tokens.ts';
import { queueMessages } from '../../messaging/service.ts';

/** What a pay link pays: a cart, or the open balance of an order. */
export type PayKind = 'cart' | 'order';

export interface PayTarget {
  companyId: number;
  kind: PayKind;
  /** Of the cart or order. */
  id: number;
  expiresAt: Date;
}

const DAY_MS = 86_400_000;
const VALID_DAYS = 30;

/** When a link that is made now ends; in whole seconds, as its token has them. */
export function payLinkEnd(now: Date): Date {
  return new Date(Math.floor((now.getTime() + VALID_DAYS * DAY_MS) / 1_000) * 1_000);
}

/** Returns the content of a link's token. Whoever has the link may pay; no link is stored. */
export function payTokenContent({ companyId, kind, id, expiresAt }: PayTarget): TokenContent {
  const seconds = Math.floor(expiresAt.getTime() / 1_000);
  return { companyId, subject: id, detail: seconds * 2 + (kind === 'order' ? 1 : 0) };
}

export function readPayTarget({ companyId, subject: id, detail }: TokenContent): PayTarget {
  const kind = detail % 2 === 1 ? 'order' : 'cart';
  return { companyId, kind, id, expiresAt: new Date(Math.floor(detail / 2) * 1_000) };
}

/** Returns the address of the page where the target can be paid. `origin` is that of this server. */
export function payUrl(tokenKey: KeyObject, origin: string, target: PayTarget): string {
  return `${origin}/pay/${signToken(tokenKey, 'pay', payTokenContent(target))}`;
}

/** Mails the link. `total` is in major units; `standard` is the company's language. */
export async function mailPayLink(
  tx: Tx,
  caller: Caller,
  target: PayTarget,
  { recipient, standard, ...amount }: { recipient: string; total: number; currency: string; standard: Language },
): Promise<void> {
  const { companyId, now } = caller;
  const language = await findLanguage(tx, companyId, { email: recipient, standard });
  const { subject, detail } = payTokenContent(target);
  const message = {
    idemKey: `t:pay:${randomBytes(16).toString('hex')}`,
    channel: 'email',
    contactId: null,
    recipient,
    origin: { kind: 'system', template: 'pay_link', data: { language, ...amount, pay: { subject, detail } } },
    transactional: true,
    dueAt: now,
    correlation: correlationOf(caller),
  } as const;
  await queueMessages(tx, companyId, [message], now);
}

/** Returns what makes links that pay carts, or orders, each valid from the given time on. */
export function payUrlOf(kind: PayKind, tokenKey: KeyObject, origin: () => string) {
  return (companyId: number, id: number, now: Date): string => {
    return payUrl(tokenKey, origin(), { companyId, kind, id, expiresAt: payLinkEnd(now) });
  };
}
