import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, request } from 'undici';
import { isPublicAddress } from './public-addresses.ts';

/** Requests to URLs given by users. They can reach public addresses only (protection from SSRF). */

export interface SafeRequest {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers: Record<string, string>;
  body?: string;
  /** Allows plain http, for content that is signed itself. */
  plain?: boolean;
  /** Encoding of the response body; UTF-8 by default. */
  encoding?: 'latin1';
}

export interface SafeResponse {
  status: number;
  /** The media type without its parameters, lower case; '' where none is given. */
  type: string;
  /** null where it is longer than 64 KiB. */
  body: string | null;
}

/** The request is not allowed. It was not sent, and a retry would not help. */
export class RequestRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RequestRefused';
  }
}

export interface SafeFetch {
  /**
   * Sends one request and reads its response, in 5 seconds at most. Redirects are not followed. Throws `RequestRefused`, or
   * the error of the connection.
   */
  fetch(request: SafeRequest): Promise<SafeResponse>;
  close(): Promise<void>;
}

/** All addresses of a host name. */
export type Resolve = (hostname: string) => Promise<{ address: string; family: number }[]>;

export interface SafeFetchOptions {
  /** Allows plain http, any port and private addresses, for private networks. */
  allowPrivate: boolean;
  resolve?: Resolve;
  timeoutMs?: number;
}

const TIMEOUT_MS = 5_000;
const MAX_BODY = 64 * 1024;
/** Headers that determine framing and target, which only the client may set (request smuggling). */
const OWN_HEADERS = new Set([
  ...['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'upgrade', 'expect', 'te', 'trailer'],
  ...['proxy-authorization', 'proxy-connection'],
]);

export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  const { allowPrivate, timeoutMs = TIMEOUT_MS } = options;
  const resolve = options.resolve ?? ((hostname) => systemLookup(hostname, { all: true }));

  // Resolved once, here: the checked address is the one that is connected to (DNS rebinding).
  const lookup: LookupFunction = (hostname, { all }, done) => {
    resolve(hostname).then(
      (found) => {
        const bad = allowPrivate ? undefined : found.find(({ address }) => !isPublicAddress(address));
        const [first] = found;
        if (first === undefined) done(new Error(`${hostname} has no address`), '', 0);
        else if (bad !== undefined) done(new RequestRefused(`${hostname} is not on the public internet`), '', 0);
        else if (all) done(null, found);
        else done(null, first.address, first.family);
      },
      (error: Error) => done(error, '', 0),
    );
  };
  const agent = new Agent({ connect: { lookup, timeout: timeoutMs }, connections: 8, keepAliveTimeout: 4_000 });

  return {
    async fetch({ url, method, headers, body, plain = false, encoding }) {
      const target = allowedUrl(url, allowPrivate, plain);
      const sent = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
      const response = await request(target, {
        method,
        headers: Object.fromEntries(sent),
        body: body ?? null,
        dispatcher: agent,
        signal: AbortSignal.timeout(timeoutMs),
      });
      const type = String(response.headers['content-type'] ?? '');
      return {
        status: response.statusCode,
        type: type.split(';')[0]!.trim().toLowerCase(),
        body: await readBody(response.body, encoding ?? 'utf8'),
      };
    },
    close: () => agent.close(),
  };
}

/** Why requests to a URL are refused, to be checked before it is stored; null where it depends on its host's addresses. */
export function refusedUrl(text: string, allowPrivate: boolean): string | null {
  try {
    allowedUrl(text, allowPrivate, false);
    return null;
  } catch (error) {
    if (error instanceof RequestRefused) return error.message;
    throw error;
  }
}

/** Throws RequestRefused. An IP address in the URL is not resolved, so it is checked here. */
function allowedUrl(text: string, allowPrivate: boolean, plain: boolean): URL {
  if (!URL.canParse(text)) throw new RequestRefused('The URL is malformed');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !((allowPrivate || plain) && url.protocol === 'http:')) {
    throw new RequestRefused('The URL must begin with https://');
  }
  if (url.username !== '' || url.password !== '') throw new RequestRefused('The URL must hold no password');
  if (allowPrivate) return url;
  // The URL's own port is '' where it is the protocol's.
  if (url.port !== '') throw new RequestRefused('The URL must name no port but 443');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new RequestRefused(`${host} is not on the public internet`);
  return url;
}

async function readBody(
  body: AsyncIterable<Buffer> & { destroy(): void },
  encoding: 'utf8' | 'latin1',
): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BODY) {
      body.destroy();
      return null;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString(encoding);
}
