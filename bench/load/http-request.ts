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

function contentHeaders(body: string): string {
  return body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
}

/** A random integer from `from` to `to`, both included. */
export function randomBetween(from: number, to: number): number {
  return from + Math.floor(Math.random() * (to - from + 1));
}
