import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StoreHolder } from '../../../access/store-holder.ts';
import { AppError } from '../../../errors.ts';
import { rateLimited } from '../errors.ts';
import type { HttpPort } from '../port.ts';
import { countedTokens, shopperTokensOf } from '../shopper-tokens.ts';
import { commerceSurface } from './commerce.ts';
import { holderBy, isSameOrigin, type Surface } from './surface.ts';

const VARY = 'Origin, X-Store-Key';
const ALLOW_ORIGIN = 'Access-Control-Allow-Origin';
const SENT =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Cart-Token, X-Order-Token, X-Request-Id, X-Store-Key';
const SHOWN = 'ETag, Idempotent-Replayed, Retry-After, X-Ignored-Fields, X-Ignored-Parameters, X-Request-Id';

const findByKey = holderBy<StoreHolder>(
  { door: 'store_key', finderOf: (port) => port.storeKeyFinder },
  { missing: 'The store key is missing: send the header X-Store-Key', invalid: 'The store key is invalid' },
  ({ headers }) => {
    const header = headers['x-store-key'];
    return typeof header === 'string' && header !== '' ? header : null;
  },
);

/** Checks the site, which is one that the key lists or this server itself, then counts the request. */
function admit(
  port: HttpPort,
  request: FastifyRequest,
  reply: FastifyReply,
  holder: StoreHolder,
): StoreHolder | Promise<StoreHolder> {
  const { origin } = request.headers;
  if (origin !== undefined && !holder.origins.includes(origin) && !isSameOrigin(request)) {
    reply.removeHeader(ALLOW_ORIGIN);
    throw new AppError('origin_not_allowed', `The store key does not list the origin ${origin.slice(0, 300)}`);
  }
  const waits = countsOf(port, request);
  return waits.every((wait) => typeof wait === 'number')
    ? within(waits, holder)
    : Promise.all(waits).then((seconds) => within(seconds, holder));
}

/** Counts the request for the network and for each token, and once more where the endpoint has a limit of its own. */
function countsOf({ visitorLimiter }: HttpPort, request: FastifyRequest): (number | Promise<number>)[] {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const door = isRead ? 'store_reads' : 'store_writes';
  const { limitedBy, tokens = [] } = request.routeOptions.config.endpoint ?? {};
  const waits = [visitorLimiter.count(door, request.ip)];
  if (limitedBy !== undefined) waits.push(visitorLimiter.count(limitedBy, request.ip));
  if (tokens.length === 0) return waits;
  for (const token of countedTokens(shopperTokensOf(request), tokens)) {
    waits.push(visitorLimiter.countOfToken(door, token));
    if (limitedBy !== undefined) waits.push(visitorLimiter.count(limitedBy, token));
  }
  return waits;
}

/** Throws rate_limited if there is a time to wait, in seconds. */
function within(waits: readonly number[], holder: StoreHolder): StoreHolder {
  const wait = Math.max(...waits);
  if (wait > 0) throw rateLimited(wait);
  return holder;
}

/** The store interface, for browsers and apps of shoppers: public key in X-Store-Key, no cookies; envelopes of the commerce API. */
export const storeSurface: Surface = {
  name: 'store',
  prefixes: ['/store/v1'],
  headers: {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    Vary: VARY,
    'Access-Control-Expose-Headers': SHOWN,
  },
  handlesUnknown: true,
  // Visitors would leave no room for the requests of the company's own programs.
  recordsRequests: false,
  audits: false,
  compresses: false,
  // How much a shop is visited is not for everybody.
  showsLimit: false,
  preflight: {
    [ALLOW_ORIGIN]: '*',
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    'Access-Control-Allow-Headers': SENT,
    'Access-Control-Max-Age': '86400',
    Vary: VARY,
  },
  // Pages of every site may read why they are refused, except by `origin_not_allowed`.
  checkSender: ({ headers: { origin } }, reply) => {
    if (origin !== undefined) reply.header(ALLOW_ORIGIN, origin);
  },
  findHolder: (port, request, reply) => {
    const found = findByKey(port, request);
    return found instanceof Promise
      ? found.then((holder) => admit(port, request, reply, holder))
      : admit(port, request, reply, found);
  },
  checkHolder: () => {},
  checkRequest: () => {},
  checkScope: () => {},
  success: commerceSurface.success,
  failure: commerceSurface.failure,
};
