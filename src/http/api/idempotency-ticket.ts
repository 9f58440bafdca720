import { createHmac } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { IdempotencyTicket, StoredResponse } from '../../caller.ts';
import { SEALED } from '../../db/idempotency.ts';
import { AppError } from '../../errors.ts';
import { EMPTY_BODY } from '../bodies/parse-body.ts';
import type { HttpPort } from './port.ts';
import type { Surface } from './surfaces/surface.ts';

/** A body that shows a secret, encrypted for storage. */
export function sealed(port: HttpPort, body: string): string {
  return SEALED + port.masterKey.seal(body).toString('base64');
}

/** The stored body in plain text; refusals hold no secret and were stored as they are. */
export function opened(port: HttpPort, body: string): string {
  return body.startsWith(SEALED) ? port.masterKey.open(Buffer.from(body.slice(SEALED.length), 'base64')) : body;
}

/** The ticket of a request with an Idempotency-Key. @throws AppError where the key has a wrong form */
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
    // Keyed: a body may hold a password, and the hash must not be something to guess it against.
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
