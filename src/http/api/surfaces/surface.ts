import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Door } from '../../../access/attempts/door.ts';
import type { Holder, KeyFinder } from '../../../access/authenticator.ts';
import { AppError } from '../../../errors.ts';
import type { ApiResponse, Endpoint, Visitor } from '../endpoint.ts';
import { rateLimited, refuseAccess } from '../errors.ts';
import type { HttpPort } from '../port.ts';

/** Converts a response's data to JSON text; compiled once per endpoint. */
export type DataSerializer = (response: ApiResponse) => string;

/**
 * What differs between the APIs: which checks run in which order, and the envelopes. Everything else is the single pipeline that server.ts
 * registers.
 */
export interface Surface {
  name: 'commerce' | 'marketing' | 'store' | 'admin';
  /** The same routes are registered under each prefix. */
  prefixes: string[];
  /** Headers of every response. */
  headers: Record<string, string>;
  /** Handles unknown paths under its prefixes; of several surfaces with one prefix, only one does. */
  handlesUnknown: boolean;
  /** Whether its requests are kept for the company's developers. */
  recordsRequests: boolean;
  /** Whether writes of its requests are recorded in the audit log, with who made them. */
  audits: boolean;
  /**
   * Whether responses are compressed if the client supports it. Only for a surface whose cookie is never sent with another site's requests:
   * the compressed length of secrets next to an attacker's text would reveal them (BREACH).
   */
  compresses: boolean;
  /** Whether responses tell how many requests the holder has left in the hour. */
  showsLimit: boolean;
  /** Headers of the response to a preflight of browsers, which carries no credentials. Without them there is none. */
  preflight?: Readonly<Record<string, string>>;
  /** Checks a request before its sender is identified; throws AppError. */
  checkSender(request: FastifyRequest, reply: FastifyReply): void;
  /** Identifies who makes the request. Throws AppError if it is nobody known. Returns no promise if all it needs is in memory. */
  findHolder(port: HttpPort, request: FastifyRequest, reply: FastifyReply): Holder | Promise<Holder>;
  /** The data about the requester passed to handlers, in addition to the caller. */
  visitorOf?(request: FastifyRequest, reply: FastifyReply): Visitor;
  /** Checks further headers once the holder is known; throws AppError. */
  checkHolder(request: FastifyRequest, holder: Holder): void;
  /** Checks the rest of the request (version) after the rate limit; throws AppError. */
  checkRequest(request: FastifyRequest): void;
  /** Throws AppError when the holder may not use the endpoint. */
  checkScope(holder: Holder, endpoint: Endpoint, port: HttpPort, request: FastifyRequest): void;
  /** The success body. */
  success(endpoint: Endpoint, json: string, response: ApiResponse, requestId: string): string;
  /** The error body with its status. */
  failure(error: AppError, requestId: string): { status: number; body: string };
}

/** State that the pipeline keeps on a request between its hooks. */
export interface RequestState {
  requestId: string;
  holder: Holder | null;
}

/** Whether a page of this server sent the request, according to Sec-Fetch-Site or, for old browsers, Origin. */
export function isSameOrigin(request: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  return site === undefined ? origin === `${request.protocol}://${request.host}` : site === 'same-origin';
}

/** The API's messages for a request without a key, and for one whose key is unknown, revoked or expired. */
interface KeyTexts {
  missing: string;
  invalid: string;
}

/** Where the keys of an API are looked up, and where failures are counted. */
interface KeyDoor<H extends Holder> {
  door: Door;
  finderOf(port: HttpPort): KeyFinder<H>;
}

const API_KEYS: KeyDoor<Holder> = { door: 'api_key', finderOf: (port) => port.authenticator };

/** Returns the holder of the API key that `keyOf` reads from a request. */
export function holderByKey(texts: KeyTexts, keyOf: (request: FastifyRequest) => string | null) {
  return holderBy(API_KEYS, texts, keyOf);
}

/**
 * Returns the holder of the key that `keyOf` reads from a request. Known keys are accepted from anywhere; from a blocked network no other
 * key is looked up.
 */
export function holderBy<H extends Holder>(
  { door, finderOf }: KeyDoor<H>,
  texts: KeyTexts,
  keyOf: (request: FastifyRequest) => string | null,
) {
  function refuse(port: HttpPort, request: FastifyRequest, refusal: AppError): Promise<never> {
    return refuseAccess(port, door, request.ip, refusal);
  }

  async function found(port: HttpPort, request: FastifyRequest, pending: H | null | Promise<H | null>): Promise<H> {
    return (await pending) ?? refuse(port, request, new AppError('invalid_key', texts.invalid));
  }

  return (port: HttpPort, request: FastifyRequest): H | Promise<H> => {
    const key = keyOf(request);
    if (key === null) return refuse(port, request, new AppError('missing_key', texts.missing));
    const finder = finderOf(port);
    if (!finder.isKnown(key)) {
      const wait = port.networkLimiter.blockedFor(door, request.ip);
      if (wait > 0) throw rateLimited(wait);
    }
    const holder = finder.authenticate(key);
    if (!(holder instanceof Promise) && holder !== null) return holder;
    return found(port, request, holder);
  };
}
