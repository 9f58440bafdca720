import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { NetworkLimiter } from '../../access/attempts/limiter.ts';
import type { KeyHolder } from '../../access/authenticator.ts';
import type { MasterKey } from '../../access/master-key.ts';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { AppError, notFound } from '../../errors.ts';
import type { RateLimiter } from '../../http/api/rate-limit.ts';
import { countSigned } from '../../http/api/signed-requests.ts';
import { pageFailure } from '../../http/pages/page-failure.ts';
import type { Wake } from '../../work/worker-names.ts';
import type { ShopCache } from '../shop.ts';
import { openAccount, type PaymentAccount } from './accounts/account.ts';
import type { Providers } from './providers/load.ts';
import { noteWebhook } from './queries.ts';

export interface PaymentWebhooksDeps {
  db: Db;
  clock: Clock;
  /** Services sign with the time of their machines. */
  machineClock: Clock;
  log: Logger;
  shops: ShopCache;
  masterKey: MasterKey;
  providers: Providers;
  networkLimiter: NetworkLimiter;
  rateLimiter: RateLimiter;
  /** Names the key whose rate limit webhooks of a company count against. */
  webhook: { countedAs(companyId: number): Promise<KeyHolder> };
  wake: Wake;
}

const BODY_LIMIT = 256 * 1_024;
const TOKEN = /^[\w-]{20,100}$/;
/** Tokens that are remembered, so that they need no look-up. */
const MOST_KNOWN = 10_000;

/**
 * Where payment services send webhooks. What one says is not believed: it only makes the payment due to be fetched, once, however many
 * webhooks arrive. Those of services that sign are verified, and each is stored once.
 */
export function paymentWebhooks(server: FastifyInstance, deps: PaymentWebhooksDeps): void {
  const { db, clock, machineClock, log, shops, masterKey, providers, networkLimiter, rateLimiter, webhook, wake } =
    deps;
  /** The companies of tokens that were looked up: unknown tokens from the address of a service keep none of these waiting. */
  const known = new Map<string, number>();

  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_request, body, done) => {
      done(null, body);
    });
    scope.setErrorHandler((error, request, reply) => {
      const { status, headers, shown } = pageFailure(log, error, request);
      return reply
        .code(status)
        .headers(headers)
        .send({ received: false, error: shown?.message ?? 'The webhook failed' });
    });
    scope.post('/payments/webhooks/:token', { config: { ofLinks: true } }, async (request) => {
      await receive(request);
      return { received: true };
    });
  });

  /** Throws not_found for an unknown token, bad_request for a webhook that is not genuine, rate_limited for too many of either. */
  async function receive(request: FastifyRequest): Promise<void> {
    const found = await findAccount(request);
    const { companyId, account } = found;
    await countSigned({ rateLimiter }, await webhook.countedAs(companyId), clock.now());
    const provider = await providers(account.provider);
    const { webhookSecrets: secrets } = openAccount(masterKey, account);
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]),
    );
    const event = provider.readWebhook(body, headers, { secrets, now: machineClock.now() });
    if (event === null) {
      // Not by network: services send the webhooks of all companies from the same addresses.
      requireNoWait(await networkLimiter.countOfToken('webhook', `account ${companyId} ${account.id}`));
      throw new AppError('bad_request', 'The webhook is not genuine');
    }
    const isDue = await noteWebhook(db.writes(companyId), companyId, { accountId: account.id, ...event }, clock.now());
    if (isDue) wake('payments');
  }

  /** Throws not_found, rate_limited. */
  async function findAccount(request: FastifyRequest): Promise<{ companyId: number; account: PaymentAccount }> {
    const { token } = request.params as { token: string };
    const remembered = known.get(token);
    if (remembered === undefined) requireNoWait(networkLimiter.blockedFor('webhook', request.ip));
    const companyId = remembered ?? (TOKEN.test(token) ? await lookUp(token) : undefined);
    const account =
      companyId === undefined
        ? undefined
        : (await shops.get(companyId)).paymentAccounts.find(({ webhook_token }) => webhook_token === token);
    if (companyId === undefined || account === undefined) {
      known.delete(token);
      await networkLimiter.count('webhook', request.ip);
      throw notFound('webhook');
    }
    if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value!);
    known.set(token, companyId);
    return { companyId, account };
  }

  async function lookUp(token: string): Promise<number | undefined> {
    const [row] = await db.strangers.query<{ company_id: number }>(sql`
      select company_id from payment_accounts where webhook_token = ${token}`);
    return row?.company_id;
  }
}

/** Throws rate_limited if there are seconds to wait. */
function requireNoWait(wait: number): void {
  if (wait > 0) throw new AppError('rate_limited', 'Too many requests', { retry_after: wait });
}
