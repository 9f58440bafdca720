import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Holder } from '../../../access/authenticator.ts';
import { grants } from '../../../access/scopes.ts';
import type { Session } from '../../../access/sessions.ts';
import { AppError, type ErrorCode, type FieldError, notFound } from '../../../errors.ts';
import { onClosed } from '../../limits.ts';
import type { Endpoint, Visitor } from '../endpoint.ts';
import type { HttpPort } from '../port.ts';
import { commerceFailure, commerceSurface } from './commerce.ts';
import { marketingFailure, marketingSurface } from './marketing.ts';
import { isSameOrigin, type Surface } from './surface.ts';

/** Requests that a person may send per hour and company. */
const REQUESTS_PER_HOUR = 36_000;
/** Ids of API keys are positive, ids for the company's webhooks are negated company ids, and those of people lie below all of them. */
const PEOPLE = -(2 ** 52);

const STATUS: Partial<Record<ErrorCode, number>> = {
  missing_session: 401,
  wrong_credentials: 401,
  second_factor_required: 401,
  invalid_link: 401,
  forbidden_role: 403,
  confirmation_required: 403,
  not_found: 404,
  rate_limited: 429,
  overloaded: 429,
  internal: 500,
  timed_out: 500,
  database_unavailable: 500,
};

const HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
const IN_COMPANY = ['/admin/api/:company'];

/** Sessions by the request that uses them, from which the visitor is built. */
const sessions = new WeakMap<FastifyRequest, Session>();

async function sessionOf(port: HttpPort, request: FastifyRequest): Promise<Session> {
  const secret = secretIn(request.headers, isHttps(request));
  const session = secret === null ? null : await port.sessions.find(secret);
  if (session === null) throw new AppError('missing_session', 'You are not signed in');
  sessions.set(request, session);
  return session;
}

function holderOf(session: Session, companyId: number, scopes: ReadonlySet<string>): Holder {
  const { actor, personId } = session;
  return { companyId, keyId: PEOPLE - (personId ?? 0), actor, scopes, requestsPerHour: REQUESTS_PER_HOUR };
}

async function memberOf(port: HttpPort, request: FastifyRequest): Promise<Holder> {
  const session = await sessionOf(port, request);
  const { company = '' } = request.params as { company?: string };
  if (!/^[1-9]\d{0,15}$/.test(company)) throw notFound('company');
  const { scopes } = port.sessions.standingIn(session, Number(company));
  return holderOf(session, Number(company), scopes);
}

/** Reads are safe from any site, because no other site can see the response; everything else must come from the app itself. */
function checkSender(request: FastifyRequest): void {
  if (request.routeOptions.config.endpoint === undefined) throw new AppError('not_found', 'Not found');
  if (request.method === 'GET' || request.method === 'HEAD') return;
  requireSameOrigin(request);
  if (request.headers['x-tradeloom-admin'] !== '1') {
    throw new AppError('bad_request', 'The header X-Tradeloom-Admin must be 1');
  }
}

function checkScope(holder: Holder, endpoint: Endpoint, port: HttpPort, request: FastifyRequest): void {
  const needed = endpoint.personScope ?? endpoint.scope;
  if (needed !== 'session' && !grants(holder.scopes, needed)) {
    throw new AppError('forbidden_role', 'Your role does not permit this', { required: needed });
  }
  if (endpoint.confirm) port.sessions.requireConfirmed(sessions.get(request)!);
}

function visitorOf(request: FastifyRequest, reply: FastifyReply): Visitor {
  const lastEventId = request.headers['last-event-id'];
  return {
    session: sessions.get(request) ?? null,
    secret: secretIn(request.headers, isHttps(request)),
    address: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
    origin: `${isHttps(request) ? 'https' : 'http'}://${request.host}`,
    isHttps: isHttps(request),
    lastEventId: typeof lastEventId === 'string' ? lastEventId : null,
    afterResponse: (work) => onClosed(reply.raw, () => void work()),
  };
}

/** Returns the HTTP status of an error in the admin app's API. */
export function adminStatus(code: ErrorCode): number {
  return STATUS[code] ?? 400;
}

/** Uses one slug per code: the admin app distinguishes them. */
function failure(error: AppError): { status: number; body: string } {
  const status = adminStatus(error.code);
  const fields = (error.details.fields as FieldError[] | undefined) ?? [];
  const details = fields.map(detailOf);
  const { retry_after } = error.details;
  const body = { error: error.code, code: status, message: error.message, details, retry_after };
  return { status, body: JSON.stringify(body) };
}

/** The app translates it into the user's language by the codes of src/lib/validation/problems.ts. */
function detailOf({ field, message, problem }: FieldError): object {
  return { field, message, ...problem };
}

const shared = {
  checkSender,
  checkScope,
  visitorOf,
  checkHolder: () => {},
  checkRequest: () => {},
  headers: HEADERS,
  recordsRequests: false,
  audits: true,
  compresses: true,
  showsLimit: true,
};

/** Endpoints about the person, without a company: sign-in, their account. */
export const accountSurface: Surface = {
  ...shared,
  name: 'admin',
  // Changes to one's own account belong to no company; the services write to the log of each of the person's companies.
  audits: false,
  prefixes: ['/admin/api'],
  handlesUnknown: true,
  findHolder: async (port, request) => holderOf(await sessionOf(port, request), 0, new Set()),
  success: marketingSurface.success,
  failure,
};

/** Endpoints of one company for people only. */
export const adminSurface: Surface = {
  ...accountSurface,
  audits: true,
  prefixes: IN_COMPANY,
  handlesUnknown: false,
  findHolder: memberOf,
};

/** The commerce endpoints for people: with a session instead of a key, and a role instead of its scopes. */
export const adminCommerceSurface: Surface = {
  ...commerceSurface,
  ...shared,
  prefixes: IN_COMPANY,
  handlesUnknown: false,
  findHolder: memberOf,
  headers: commerceSurface.headers,
  failure: (error, requestId) => commerceFailure(error, requestId, detailOf),
};

/** The marketing endpoints for people. Errors about a session or a role have slugs of their own. */
export const adminMarketingSurface: Surface = {
  ...marketingSurface,
  ...shared,
  prefixes: IN_COMPANY,
  handlesUnknown: false,
  findHolder: memberOf,
  headers: marketingSurface.headers,
  failure: (error, requestId) => {
    const status = STATUS[error.code];
    return status === 401 || status === 403 ? failure(error) : marketingFailure(error, requestId, detailOf);
  },
};

export const ADMIN_SURFACES: readonly Surface[] = [
  accountSurface,
  adminSurface,
  adminCommerceSurface,
  adminMarketingSurface,
];

/** Over HTTPS the prefix makes the browser accept the cookie only from this host. */
function nameOf(isHttps: boolean): string {
  return isHttps ? '__Host-tradeloom' : 'tradeloom';
}

/** Returns the Set-Cookie header for a session's secret and lifetime in seconds; '' and 0 delete the cookie. */
export function sessionCookie(isHttps: boolean, secret: string, seconds: number): string {
  const secure = isHttps ? '; Secure' : '';
  return `${nameOf(isHttps)}=${secret}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** Returns the secret in the request's cookie, or null. */
export function secretIn(headers: IncomingHttpHeaders, isHttps: boolean): string | null {
  const name = nameOf(isHttps);
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name && value !== undefined && value !== '') return value;
  }
  return null;
}

export function isHttps(request: FastifyRequest): boolean {
  return request.protocol === 'https';
}

/**
 * Refuses a request that changes something but was not sent by a page of this server. A request with neither does not come from a page and is refused.
 * @throws AppError bad_request
 */
export function requireSameOrigin(request: FastifyRequest): void {
  if (!isSameOrigin(request)) throw new AppError('bad_request', 'This must be sent from the admin pages themselves');
}
