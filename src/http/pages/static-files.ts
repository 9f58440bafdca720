import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What pages that load their scripts and styles from this server alone are allowed. Frames are pages of this server. */
export const PAGES_POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'",
  "frame-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': PAGES_POLICY,
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
/** A name under here contains the hash of its content. */
export const HASHED = 'assets/';

export interface StaticFile {
  type: string;
  etag: string;
  /** Its bytes by Content-Encoding. */
  bytes: Map<string, Buffer>;
}

/** The files of a folder that a build made, in memory; those with one of the endings. None where it was not built. */
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

/** The first encoding that the file has and the request accepts; one with q=0 is refused. */
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

/** Sends a file, packed where the client takes that, or 304 where it has it. */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, cacheControl, status = 200 }: { file: StaticFile; cacheControl: string; status?: number },
): FastifyReply {
  const encoding = encodingOf(file, request.headers['accept-encoding']);
  const etag = `"${file.etag}${encoding === 'identity' ? '' : `-${encoding}`}"`;
  reply.headers(HEADERS).header('Cache-Control', cacheControl);
  reply.header('Vary', 'Accept-Encoding').header('ETag', etag);
  const known = request.headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''));
  if (known?.includes(etag) && status === 200) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
  return reply.code(status).type(file.type).send(file.bytes.get(encoding));
}

/** Files with a hash in their name never change; of all others the response says how they are kept. */
export function cachedBy(name: string, others: string): string {
  return name.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : others;
}

/** What is said in place of a file: never kept. */
export function sendText(reply: FastifyReply, status: 404 | 503, text: string): FastifyReply {
  reply.headers(HEADERS).header('Cache-Control', 'no-store').type('text/plain; charset=utf-8');
  return reply.code(status).send(text);
}
