import type { FastifyInstance, FastifyRequest } from 'fastify';
import { webhookSecrets } from '../access/service.ts';
import type { App } from '../app.ts';
import { AppError } from '../errors.ts';
import { marketingSurface } from '../http/marketing.ts';
import { verifySignature } from '../marketing/webhook/signature.ts';
import { readReports } from './bounce-forms.ts';
import { applyReports } from './bounces.ts';

const BODY_LIMIT = 256 * 1024;
/** Tried where there is no such company, so that the answer takes as long. */
const NOBODYS_SECRET = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';

/**
 * POST /marketing/bounces: what a mail provider reports, signed as events of the webhook are. Taken in and answered once
 * it is on disk; a report that comes again changes nothing but a count of soft bounces.
 */
export function bouncePages(server: FastifyInstance, app: App): void {
  for (const prefix of marketingSurface.prefixes) {
    server.post(`${prefix}/bounces`, { bodyLimit: BODY_LIMIT }, async (request, reply) => {
      const companyId = await verifiedCompany(app, request);
      const reports = readReports(parseJson(request.body as Buffer));
      if (reports === null) throw new AppError('bad_request', 'The body is no bounce report of a known form');
      const applied = await applyReports(app.db, companyId, app.messaging.tokenKey, reports, app.clock.now());
      return reply.headers(marketingSurface.headers).send({ received: true, reports: reports.length, applied });
    });
  }
}

/** Throws AppError invalid_key with one text for everything that may be wrong. */
async function verifiedCompany(app: App, request: FastifyRequest): Promise<number> {
  const named = text(request.headers['x-company-id']) ?? '';
  const companyId = /^[1-9]\d{0,14}$/.test(named) ? Number(named) : 0;
  const now = app.clock.now();
  const secrets = companyId === 0 ? [] : await webhookSecrets(app.db, companyId, app.masterKey, now);
  const { headers, body } = request;
  const signed = {
    body: (body as Buffer | undefined) ?? Buffer.alloc(0),
    signature: text(headers['x-webhook-signature']),
    standard: {
      id: text(headers['webhook-id']),
      timestamp: text(headers['webhook-timestamp']),
      signature: text(headers['webhook-signature']),
    },
  };
  const tried = secrets.length > 0 ? secrets : [NOBODYS_SECRET];
  const verified = verifySignature(signed, tried, { now, requireTimestamp: false });
  if (verified === null || secrets.length === 0) throw new AppError('invalid_key', 'Missing or invalid signature');
  return companyId;
}

function text(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

function parseJson(body: Buffer | undefined): unknown {
  try {
    return JSON.parse(body?.toString('utf8') ?? '');
  } catch {
    throw new AppError('bad_request', 'The body is not valid JSON');
  }
}
