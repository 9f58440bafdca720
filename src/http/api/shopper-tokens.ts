import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

/** What proves who a visitor of a shop is: the holder of a cart, the buyer of an order, or a customer who is signed in. */
export const SHOPPER_TOKENS = ['cart', 'order', 'customer'] as const;
export type ShopperToken = (typeof SHOPPER_TOKENS)[number];

/** The tokens of a request as sent; null where there is none. */
export type ShopperTokens = Readonly<Record<ShopperToken, string | null>>;

export const NO_TOKENS: ShopperTokens = { cart: null, order: null, customer: null };

/** Reads the tokens from the headers of a request of the store interface. */
export function shopperTokensOf({ headers }: FastifyRequest): ShopperTokens {
  const text = (name: string): string | null => {
    const value = headers[name];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  return {
    cart: text('x-cart-token'),
    order: text('x-order-token'),
    customer: /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null,
  };
}

/** Below the ids of other senders (see src/store/keys/finder.ts). */
const SENDERS = -(2 ** 52);

/** Returns whose an Idempotency-Key is, by the tokens that the endpoint reads: a negative number; null without a token. */
export function senderOf(tokens: ShopperTokens, read: readonly ShopperToken[]): number | null {
  const digest = digestOf(tokens, read);
  return digest === null ? null : SENDERS - digest.readUIntBE(0, 6);
}

/** Returns what requests with the same tokens have in common, which tells none of them; null without a token. */
export function countedAs(tokens: ShopperTokens, read: readonly ShopperToken[]): string | null {
  return digestOf(tokens, read)?.toString('base64url') ?? null;
}

function digestOf(tokens: ShopperTokens, read: readonly ShopperToken[]): Buffer | null {
  const sent = SHOPPER_TOKENS.filter((name) => read.includes(name) && tokens[name] !== null);
  if (sent.length === 0) return null;
  return createHash('sha256')
    .update(JSON.stringify(sent.map((name) => tokens[name])))
    .digest();
}
