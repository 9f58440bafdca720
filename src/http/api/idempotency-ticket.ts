import { createHmac } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { IdempotencyTicket, StoredResponse } from '../../caller.ts';
import { SEALED } from '../../db/idempotency.ts';
import { AppError } from '../../errors.ts';
import { EMPTY_BODY } from './body.ts';
import type { HttpPort } from './port.ts';
import type { Surface } from './surfaces/surface.ts';

/** Encrypts a body that contains a secret for storage. */
export function sealed(port: HttpPort, body: string): string {
  return SEALED + port.masterKey.seal(body).toString('base64');
}

/** Decrypts the stored body; refusals contain no secret and were stored in plain text. */
export function opened(port: HttpPort, body: string): string {
  return body.startsWith(SEALED) ? port.masterKey.open(Buffer.from(body.slice(SEALED.length), 'base64')) : body;
}

/** Returns the ticket of a request with an Idempotency-Key. @throws AppError if the key is malformed */
export function ticketOf(
  request: FastifyRequest,
  surface: Surface,
  { sentBy, secret }: { sentBy: number; secret: Buffer },
  render: (result: unknown) => StoredResponse,
): IdempotencyTicket {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new AppError('bad_request', 'Idempotency-Key must be 1 to 255 printable characters');
  }
  const raw = (request.body as Buffer | undefined) ?? EMPTY_BODY;
  return {
    key,
    sentBy,
    // Keyed: a body may contain a password, and the hash must not allow guessing it.
    requestHash: createHmac('sha256', secret).update(`${request.method}\n${request.url}\n`).update(raw).digest(),
    render,
    renderError: (error) => {
      const response = surface.failure(error, request.requestId);
      const kept = response.status < 500 && ![401, 403, 429].includes(response.status);
      return kept && !error.code.startsWith('idempotency_key') ? response : null;
    },
    stored: false,
  };
}
