import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Policy of pages that load scripts and styles only from this server. Frames are pages of this server. */
export const PAGES_POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'",
  "frame-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** Headers of pages. Scripts, styles and pictures keep the shorter ones of every response (`DOOR_HEADERS`): a policy applies to documents. */
const HEADERS = {
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
};
const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webp: 'image/webp',
  json: 'application/json; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
};
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
/** Names in this folder contain a hash of their content. */
export const HASHED = 'assets/';

export interface StaticFile {
  type: string;
  etag: string;
  /** The file's bytes by Content-Encoding. */
  bytes: Map<string, Buffer>;
}

/** Reads a build's output folder into memory, only files with one of the endings. Empty if there is no build. */
export function readStaticFiles(folder: URL, endings: readonly string[]): Map<string, StaticFile> {
  const names = namesIn(folder);
  const known = new Set(names);
  const files = new Map<string, StaticFile>();
  for (const name of names) {
    const ending = name.slice(name.lastIndexOf('.') + 1);
    if (!endings.includes(ending)) continue;
    const plain = readFileSync(new URL(name, folder));
    const bytes = new Map([['identity', plain]]);
    for (const [encoding, packed] of ENCODINGS) {
      if (known.has(name + packed)) bytes.set(encoding, readFileSync(new URL(name + packed, folder)));
    }
    const etag = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
    files.set(name, { type: TYPES[ending]!, etag, bytes });
  }
  return files;
}

function namesIn(folder: URL): string[] {
  try {
    return readdirSync(folder, { recursive: true }) as string[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Returns the first encoding that the file has and the request accepts; one with q=0 is refused. */
function encodingOf(file: StaticFile, header: string | undefined): string {
  const accepted = new Set(
    (header ?? '')
      .split(',')
      .map((one) =>
        one
          .trim()
          .toLowerCase()
          .split(/\s*;\s*/),
      )
      .filter(([, weight]) => weight === undefined || !/^q=0(\.0*)?$/.test(weight))
      .map(([name]) => name),
  );
  return ENCODINGS.find(([name]) => accepted.has(name) && file.bytes.has(name))?.[0] ?? 'identity';
}

/** Sends a file, compressed if the client supports it, or 304 if the client already has it. */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    file,
    cacheControl,
    status = 200,
    policy = PAGES_POLICY,
  }: { file: StaticFile; cacheControl: string; status?: number; policy?: string },
): FastifyReply {
  const encoding = encodingOf(file, request.headers['accept-encoding']);
  const etag = `"${file.etag}${encoding === 'identity' ? '' : `-${encoding}`}"`;
  if (file.type === TYPES.html) reply.headers(HEADERS).header('Content-Security-Policy', policy);
  reply.header('Cache-Control', cacheControl).header('Vary', 'Accept-Encoding').header('ETag', etag);
  const known = request.headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''));
  if (known?.includes(etag) && status === 200) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
  return reply.code(status).type(file.type).send(file.bytes.get(encoding));
}

/** Files with a hash in their name never change; all others are cached as `others` says. */
export function cachedBy(name: string, others: string): string {
  return name.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : others;
}

/** Sends a text instead of a file; it is never cached. */
export function sendText(reply: FastifyReply, status: 404 | 503, text: string): FastifyReply {
  reply
    .headers(HEADERS)
    .header('Content-Security-Policy', PAGES_POLICY)
    .header('Cache-Control', 'no-store')
    .type('text/plain; charset=utf-8');
  return reply.code(status).send(text);
}
