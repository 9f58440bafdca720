import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { AppError } from '../../errors.ts';
import { DOOR_HEADERS } from '../door.ts';
import { retryHeaders } from './errors.ts';
import { commerceSurface } from './surfaces/commerce.ts';
import { marketingSurface } from './surfaces/marketing.ts';
import { storeSurface } from './surfaces/store.ts';
import type { Surface } from './surfaces/surface.ts';

/**
 * Builds error responses for requests outside every API's pipeline: unknown paths and anything that is not HTTP. They have the format of
 * the API that the path belongs to.
 */
export function failureOutside(
  error: AppError,
  url: string,
  requestId: string,
): { status: number; body: string; headers: Record<string, string> } {
  const surface = surfaceAt(url);
  const { status, body } = (surface ?? marketingSurface).failure(error, requestId);
  const headers = {
    ...surface?.headers,
    ...retryHeaders(error),
    ...DOOR_HEADERS,
    'Content-Type': 'application/json; charset=utf-8',
    'X-Request-Id': requestId,
  };
  return { status, body, headers };
}

function surfaceAt(url: string): Surface | null {
  const first = /^\/(\w+)/.exec(url)?.[1];
  return [commerceSurface, marketingSurface, storeSurface].find((surface) => surface.name === first) ?? null;
}

/**
 * Responds 400 and closes the connection for requests that the HTTP parser refuses (headers too long, two lengths, not HTTP, silent for too
 * long): the APIs' documents contain neither 408 nor 431.
 */
export function respondToClientError(error: Error & { code?: string; rawPacket?: unknown }, socket: Socket): void {
  // Browsers open connections before they need them. One that times out unused is closed without a word: the browser would take it for the
  // response to a request that it sends at the same moment.
  if (error.code !== 'ECONNRESET' && socket.writable && socket.bytesRead > 0) {
    const start = Buffer.isBuffer(error.rawPacket) ? error.rawPacket.subarray(0, 1_024).toString('latin1') : '';
    const url = /^[A-Z]+ (\/\S*)/.exec(start)?.[1] ?? '/';
    const refusal = new AppError('bad_request', 'The request is malformed');
    const { status, body, headers } = failureOutside(refusal, url, randomUUID());
    const lines = Object.entries({
      ...headers,
      'Content-Length': String(Buffer.byteLength(body)),
      Connection: 'close',
    });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(`HTTP/1.1 ${status} Bad Request\r\n${head}\r\n${body}`);
  }
  socket.destroy(error);
}
