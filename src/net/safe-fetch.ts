import { Agent, request } from 'undici';
import { createHostGuard, type HostGuard, RequestRefused, type Resolve } from './host-guard.ts';

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

export interface SafeDownload {
  url: string;
  maxBytes: number;
  plain?: boolean;
}

export interface Downloaded {
  status: number;
  /** Where a redirect leads, as the server wrote it. */
  location: string | null;
  /** null where there are more than `maxBytes`. */
  bytes: Buffer | null;
}

export interface SafeFetch {
  /**
   * Sends one request and reads its response, within 5 seconds. Does not follow redirects. Throws `RequestRefused`, or the connection's
   * error.
   */
  fetch(request: SafeRequest): Promise<SafeResponse>;
  /** Reads a file, within 20 seconds. Does not follow redirects. Throws as `fetch` does. */
  download(file: SafeDownload): Promise<Downloaded>;
  close(): Promise<void>;
}

export interface SafeFetchOptions {
  /** Allows plain http, any port and private addresses, for private networks. */
  allowPrivate: boolean;
  resolve?: Resolve;
  timeoutMs?: number;
}

const TIMEOUT_MS = 5_000;
const DOWNLOAD_TIMEOUT_MS = 20_000;
const MAX_BODY = 64 * 1024;
/** Headers that determine framing and target, which only the client may set (request smuggling). */
const OWN_HEADERS = new Set([
  ...['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'upgrade', 'expect', 'te', 'trailer'],
  ...['proxy-authorization', 'proxy-connection'],
]);

export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  const { allowPrivate, timeoutMs = TIMEOUT_MS } = options;
  const guard = createHostGuard({ allowPrivate, ...(options.resolve && { resolve: options.resolve }) });
  const agent = new Agent({
    connect: { lookup: guard.lookup, timeout: timeoutMs },
    connections: 8,
    keepAliveTimeout: 4_000,
  });

  return {
    async fetch({ url, method, headers, body, plain = false, encoding }) {
      const target = allowedUrl(url, guard, plain);
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
        body: (await readBody(response.body, MAX_BODY))?.toString(encoding ?? 'utf8') ?? null,
      };
    },
    async download({ url, maxBytes, plain = false }) {
      const response = await request(allowedUrl(url, guard, plain), {
        method: 'GET',
        dispatcher: agent,
        signal: AbortSignal.timeout(options.timeoutMs ?? DOWNLOAD_TIMEOUT_MS),
      });
      const { location } = response.headers;
      return {
        status: response.statusCode,
        location: typeof location === 'string' ? location : null,
        bytes: await readBody(response.body, maxBytes),
      };
    },
    close: () => agent.close(),
  };
}

/** Returns why requests to a URL would be refused, to be checked before the URL is stored; null if that depends on its host's addresses. */
export function refusedUrl(text: string, allowPrivate: boolean): string | null {
  try {
    allowedUrl(text, createHostGuard({ allowPrivate }), false);
    return null;
  } catch (error) {
    if (error instanceof RequestRefused) return error.message;
    throw error;
  }
}

/** Throws RequestRefused. An IP address in the URL is not resolved, so it is checked here. */
export function allowedUrl(text: string, guard: Pick<HostGuard, 'allowPrivate' | 'requireHost'>, plain = false): URL {
  if (!URL.canParse(text)) throw new RequestRefused('The URL is malformed');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !((guard.allowPrivate || plain) && url.protocol === 'http:')) {
    throw new RequestRefused('The URL must begin with https://');
  }
  if (url.username !== '' || url.password !== '') throw new RequestRefused('The URL must hold no password');
  if (guard.allowPrivate) return url;
  // `port` is '' if it is the protocol's default.
  if (url.port !== '') throw new RequestRefused('The URL must not have a port other than 443');
  guard.requireHost(url.hostname);
  return url;
}

async function readBody(body: AsyncIterable<Buffer> & { destroy(): void }, maxBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) {
      body.destroy();
      return null;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
