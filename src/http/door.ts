import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { hostname } from 'node:os';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** At a company's tracking host, the companies whose links it serves; null at a host of this server. */
    linkHolders: ReadonlySet<number> | null;
  }
  interface FastifyContextConfig {
    /** A page that links in messages lead to. */
    ofLinks?: true;
  }
}

/**
 * Headers of every response. Pages set their own policy and referrer rule. A response without one is not a page: a browser that shows it
 * anyway loads, embeds and runs nothing.
 */
export const DOOR_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};

/** One year; without subdomains, about which this program must not decide. */
const HSTS = 'max-age=31536000';

/**
 * Checks that apply to every request: no proxy in front can have read another request in its bytes, it names one host, which is this
 * server's, and its response is interpreted as its declared type. Behind TLS, browsers are instructed to use only HTTPS. A company's
 * tracking host serves the pages of its links and nothing else.
 */
export function guardDoor(server: FastifyInstance, config: Readonly<Config>, tracking: TrackingHosts): void {
  server.decorateRequest('linkHolders', null);
  const isOurs = createHostCheck(config);
  const byTls = config.publicUrl?.startsWith('https:') ?? false;
  /** Connections with an ambiguously framed request. What the parser finds after it may not be a request at all. */
  const doubtful = new WeakSet<Socket>();
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(DOOR_HEADERS);
    if (byTls || request.protocol === 'https') reply.header('Strict-Transport-Security', HSTS);
    const { socket } = request.raw;
    if (doubtful.has(socket) || !isWellFramed(request.raw)) {
      doubtful.add(socket);
      reply.header('Connection', 'close');
      done(new AppError('bad_request', 'The request is malformed'));
      return;
    }
    const others = hostsOf(request).filter((host) => !isOurs(host));
    if (others.length === 0) {
      done();
      return;
    }
    const names = new Set(others.map(nameOf));
    const [name] = names;
    const holders = names.size === 1 && name ? tracking.holdersOf(name) : undefined;
    if (holders === undefined) {
      done(new AppError('bad_request', 'The Host header does not name this server'));
    } else if (request.routeOptions.config.ofLinks) {
      request.linkHolders = holders;
      done();
    } else {
      done(new AppError('not_found', 'Not found'));
    }
  });
}

/**
 * The parser also accepts versions 0.9 and 2.0, which have another format. A proxy that only knows 1.0 ignores Transfer-Encoding, so it
 * sees the end of such a request elsewhere.
 */
function isWellFramed({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' || (httpVersion === '1.0' && headers['transfer-encoding'] === undefined);
}

/**
 * Returns all hosts that the request names, any of which someone may use for routing or trust: the Host header ('' if there are several),
 * the target in absolute form, and X-Forwarded-Host of a trusted proxy. HTTP/1.0 may come without a Host header, and no browser uses it.
 */
function hostsOf(request: FastifyRequest): string[] {
  const { rawHeaders, httpVersion, url = '/' } = request.raw;
  const named: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') named.push(rawHeaders[i + 1]!);
  }
  const hosts = named.length === 1 ? named : [named.length === 0 && httpVersion === '1.0' ? 'localhost' : ''];
  if (!url.startsWith('/')) {
    const authority = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1];
    if (authority !== undefined) hosts.push(authority);
  }
  if (request.headers['x-forwarded-host'] !== undefined && named.length > 0) hosts.push(request.host);
  return hosts;
}

/** Names by which this machine refers to itself. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1', '::ffff:127.0.0.1']);
/** Cached results by header value: clients only send a handful of names. */
const MAX_KNOWN = 1_000;

/** Hosts of companies that point here: only their links are served there. */
export interface TrackingHosts {
  /** Returns the companies whose links the host serves; undefined for none. Only reads memory. */
  holdersOf(host: string): ReadonlySet<number> | undefined;
}

/**
 * Whether a request may name this host. A page of another site can make its own name resolve to this machine (DNS rebinding) and then
 * counts as same-origin, but the name that the browser sends reveals it. IP addresses cannot be rebound: without TRADELOOM_HOSTS all are
 * accepted, so that a fresh installation can be reached in its own network.
 */
export function createHostCheck(config: Pick<Config, 'hosts' | 'publicUrl' | 'host'>): (header: string) => boolean {
  const names = new Set([...LOOPBACK, config.host.toLowerCase(), ...config.hosts.filter((name) => !isWildcard(name))]);
  if (config.publicUrl !== null) names.add(bare(new URL(config.publicUrl).hostname.toLowerCase()));
  const suffixes = config.hosts.filter(isWildcard).map((name) => name.slice(1));
  const anyAddress = config.hosts.length === 0;
  if (anyAddress) names.add(hostname().toLowerCase());
  const known = new Map<string, boolean>();

  function check(header: string): boolean {
    const name = nameOf(header);
    if (name === null) return false;
    return names.has(name) || (anyAddress && isIP(name) !== 0) || suffixes.some((suffix) => name.endsWith(suffix));
  }

  return (header) => {
    const before = known.get(header);
    if (before !== undefined) return before;
    const allowed = check(header);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(header, allowed);
    return allowed;
  };
}

function isWildcard(name: string): boolean {
  return name.startsWith('*.');
}

/** Returns the name in `name:port` in lower case; null if it is not a valid host. */
export function nameOf(header: string): string | null {
  const [, bracketed, plain] = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::\d{1,5})?$/.exec(header) ?? [];
  const name = bracketed ?? plain?.replace(/\.$/, '');
  return name ? name.toLowerCase() : null;
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
