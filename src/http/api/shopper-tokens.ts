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
  const sent = sentOf(tokens, read);
  if (sent.length === 0) return null;
  const digest = createHash('sha256').update(JSON.stringify(sent)).digest();
  return SENDERS - digest.readUIntBE(0, 6);
}

/** Returns a hash of each token that the endpoint reads, by which the requests with it are counted. */
export function countedTokens(tokens: ShopperTokens, read: readonly ShopperToken[]): string[] {
  return sentOf(tokens, read).map((token) => createHash('sha256').update(token).digest('base64url'));
}

function sentOf(tokens: ShopperTokens, read: readonly ShopperToken[]): string[] {
  return SHOPPER_TOKENS.flatMap((name) => (read.includes(name) ? (tokens[name] ?? []) : []));
}
