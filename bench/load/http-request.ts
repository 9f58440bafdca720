import type { Target, TargetShop } from '../server/target.ts';

/** A request of the commerce API in its wire format. */
export function commerceRequest(target: Target, shop: TargetShop, method: string, path: string, body = ''): string {
  return (
    `${method} /commerce/v1${path} HTTP/1.1\r\nHost: 127.0.0.1:${target.port}\r\nX-API-Key: ${shop.key}\r\n` +
    `${contentHeaders(body)}\r\n${body}`
  );
}

/** A request of the marketing API in its wire format. */
export function marketingRequest(target: Target, shop: TargetShop, method: string, path: string, body = ''): string {
  return (
    `${method} /marketing/v1${path} HTTP/1.1\r\nHost: 127.0.0.1:${target.port}\r\n` +
    `Authorization: Bearer ${shop.key}\r\nX-Company-ID: ${shop.companyId}\r\n${contentHeaders(body)}\r\n${body}`
  );
}

/** A read of the store interface in its wire format, by one of a thousand networks, each of which may send 600 reads a minute. */
export function storeRequest(target: Target, shop: TargetShop, path: string): string {
  const network = `10.0.${randomBetween(1, 10)}.${randomBetween(1, 100)}`;
  return (
    `GET /store/v1${path} HTTP/1.1\r\nHost: 127.0.0.1:${target.port}\r\nX-Store-Key: ${shop.storeKey}\r\n` +
    `X-Forwarded-For: ${network}\r\n\r\n`
  );
}

function contentHeaders(body: string): string {
  return body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
}

/** A random integer from `from` to `to`, both included. */
export function randomBetween(from: number, to: number): number {
  return from + Math.floor(Math.random() * (to - from + 1));
}
