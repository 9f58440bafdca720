import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Where `npm ci` builds the admin app. */
export const APP_FOLDER = new URL('../../admin/dist/', import.meta.url);

/** Frames are messages of the mailbox, which have a policy of their own. */
export const APP_POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'",
  "frame-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': APP_POLICY,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
};
const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
/** A name under here contains the hash of its content. */
const HASHED = 'assets/';
const INDEX = 'index.html';

interface AppFile {
  type: string;
  etag: string;
  /** Its bytes by Content-Encoding. */
  bytes: Map<string, Buffer>;
}

/** The files of the built app, in memory: some 60, together less than 2 MB. None where the app was not built. */
function readFiles(folder: URL): Map<string, AppFile> {
  const names = namesIn(folder);
  const known = new Set(names);
  const files = new Map<string, AppFile>();
  for (const name of names) {
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
    if (type === undefined) continue;
    const plain = readFileSync(new URL(name, folder));
    const bytes = new Map([['identity', plain]]);
    for (const [encoding, ending] of ENCODINGS) {
      if (known.has(name + ending)) bytes.set(encoding, readFileSync(new URL(name + ending, folder)));
    }
    files.set(name, { type, etag: createHash('sha256').update(plain).digest('base64url').slice(0, 22), bytes });
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
function encodingOf(file: AppFile, header: string | undefined): string {
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

/**
 * Serves the admin app under /admin/: hashed files for ever, and for every other address the page, which is asked for
 * anew each time and shows what the address says.
 */
export function appFiles(server: FastifyInstance, folder: URL = APP_FOLDER): void {
  const files = readFiles(folder);
  const send = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { '*': path = '' } = request.params as { '*'?: string };
    const name = files.has(path) ? path : INDEX;
    const file = files.get(name);
    reply.headers(HEADERS);
    if (file === undefined || (name === INDEX && path.startsWith(HASHED))) {
      const text = file === undefined ? 'The admin app is not built: npm run prepare\n' : 'Not found\n';
      reply.header('Cache-Control', 'no-store').type('text/plain; charset=utf-8');
      return reply.code(file === undefined ? 503 : 404).send(text);
    }
    const encoding = encodingOf(file, request.headers['accept-encoding']);
    const etag = `"${file.etag}${encoding === 'identity' ? '' : `-${encoding}`}"`;
    reply.header('Cache-Control', name.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-store');
    reply.header('Vary', 'Accept-Encoding').header('ETag', etag);
    const known = request.headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''));
    if (known?.includes(etag)) return reply.code(304).send();
    if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
    return reply.type(file.type).send(file.bytes.get(encoding));
  };
  server.get('/admin', (_request, reply) => reply.redirect('/admin/'));
  server.get('/admin/*', send);
}
