import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { AppError, notFound } from '../../errors.ts';
import type { HttpPort } from '../../http/api/port.ts';
import { onClosed } from '../../http/limits.ts';
import { pageFailure } from '../../http/pages/page-failure.ts';
import { FairQueue } from '../../lib/fair-queue.ts';
import { networkOf } from '../../lib/network.ts';
import { type ContentName, type PictureRef, readPicturePath } from './address.ts';
import type { PicturesService } from './service.ts';

const CACHE_BYTES = 32 * 2 ** 20;
/** Cached addresses: of existing pictures, and of missing ones. */
const REMEMBERED = 10_000;
/** How long a picture is served from memory before it is looked up again, since it may have been deleted. */
const CHECKED_MS = 10_000;
/** What a file that is being sent counts for in the sizes below: its pieces are read one by one. */
const PIECE_BYTES = 2 * 2 ** 20;
/** How long a missing picture is not looked up again. */
const MISSING_MS = 10_000;
/** Total size of pictures that are being sent; half of it for one company, and half of that to one network. */
const MAX_BYTES = 128 * 2 ** 20;

const HEADERS = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  // Shops and e-mails embed them on other origins.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Allow-Origin': '*',
};

/** Files are downloaded, never shown on this origin. */
const FILE_HEADERS = {
  'Content-Type': 'application/pdf',
  'Content-Disposition': 'attachment; filename="file.pdf"',
  ...HEADERS,
};
const PICTURE_HEADERS = { 'Content-Type': 'image/webp', ...HEADERS };

export interface PicturePagesDeps extends Pick<HttpPort, 'log'> {
  pictures: Pick<PicturesService, 'read' | 'readFile' | 'exists'>;
  /** Other than usual in tests. */
  checkedMs?: number;
}

/** Serves pictures to anybody who knows the address: its hash has 128 bits, which nobody guesses. */
export function picturePages(
  server: FastifyInstance,
  { pictures, log, checkedMs = CHECKED_MS }: PicturePagesDeps,
): void {
  const cache = new LRUCache<string, Buffer>({ maxSize: CACHE_BYTES, sizeCalculation: ({ length }) => length });
  /** The hash of a picture never changes. */
  const hashes = new LRUCache<string, string>({ max: REMEMBERED });
  const checked = new LRUCache<string, true>({ max: REMEMBERED, ttl: checkedMs });
  const missing = new LRUCache<string, true>({ max: REMEMBERED, ttl: MISSING_MS });
  const reading = new Map<string, Promise<Buffer>>();
  const ofCompanies = new FairQueue({ capacity: MAX_BYTES });
  const toNetworks = new FairQueue({ capacity: MAX_BYTES, share: MAX_BYTES / 4 });

  /** Concurrent requests for a picture share one read of the store. */
  async function contentOf(path: string): Promise<Buffer> {
    const ref = readPicturePath(path);
    if (ref === null) throw new AppError('not_found', 'Not found');
    const kept = cache.get(path);
    if (kept !== undefined) {
      if (checked.has(path)) return kept;
      if (await pictures.exists(ref)) {
        checked.set(path, true);
        return kept;
      }
      cache.delete(path);
      missing.set(path, true);
    }
    const known = hashes.get(`${ref.companyId}/${ref.id}`);
    if ((known !== undefined && known !== ref.hash) || missing.has(path)) throw notFound('picture');
    let pending = reading.get(path);
    if (pending === undefined) {
      pending = read(path, ref).finally(() => reading.delete(path));
      reading.set(path, pending);
    }
    return pending;
  }

  async function read(path: string, ref: PictureRef & { name: ContentName }): Promise<Buffer> {
    try {
      const content = await pictures.read(ref);
      cache.set(path, content);
      checked.set(path, true);
      hashes.set(`${ref.companyId}/${ref.id}`, ref.hash);
      return content;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') missing.set(path, true);
      throw error;
    }
  }

  async function send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const [path = ''] = request.url.split('?');
    const { company, picture } = request.params as { company: string; picture: string };
    const etag = `"${picture}"`;
    const headers = path.endsWith('.pdf') ? FILE_HEADERS : PICTURE_HEADERS;
    if (request.headers['if-none-match'] === etag) return reply.code(304).headers(headers).send();
    const file = path.endsWith('.pdf') ? await fileOf(path) : null;
    const content = file === null ? await contentOf(path) : null;
    // The client disconnected in the meantime.
    if (reply.raw.destroyed) return reply.send();
    const cost = content?.length ?? PIECE_BYTES;
    const network = toNetworks.takeNow(networkOf(request.ip), cost);
    onClosed(reply.raw, network.release);
    onClosed(reply.raw, ofCompanies.takeNow(company, cost).release);
    reply.headers(headers).header('ETag', etag);
    if (file === null) return reply.send(content);
    return reply.header('Content-Length', file.bytes).send(Readable.from(file.pieces, { objectMode: false }));
  }

  function fileOf(path: string): ReturnType<PicturesService['readFile']> {
    const ref = readPicturePath(path);
    if (ref === null) throw new AppError('not_found', 'Not found');
    return pictures.readFile(ref);
  }

  void server.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => {
      const { status, headers, shown } = pageFailure(log, error, request);
      const type = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };
      return reply
        .code(status)
        .headers({ ...headers, ...type })
        .send(`${shown?.message ?? 'The picture could not be read'}\n`);
    });
    scope.get('/pictures/:company/:picture/:file', send);
  });
}
