import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { accountSurface } from '../http/api/surfaces/admin.ts';
import { cachedBy, HASHED, readStaticFiles, sendFile, sendText } from '../http/pages/static-files.ts';

/** Where `npm ci` builds the admin app. */
export const APP_FOLDER = new URL('../../admin/dist/', import.meta.url);

const INDEX = 'index.html';
const ENDINGS = ['html', 'js', 'css', 'svg'];

/**
 * Serves the admin app under /admin/. Hashed files are immutable; every other path but those of the API returns the page, which is revalidated each
 * time and shows what the path says. About 60 files, less than 2 MB in total, are kept in memory.
 */
export function appFiles(server: FastifyInstance, folder: URL = APP_FOLDER): void {
  const files = readStaticFiles(folder, ENDINGS);
  const send = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { '*': path = '' } = request.params as { '*'?: string };
    if (/^api(\/|$)/.test(path)) {
      const { status, body } = accountSurface.failure(new AppError('not_found', 'Not found'), request.requestId);
      return reply.code(status).type('application/json; charset=utf-8').send(body);
    }
    const name = files.has(path) ? path : INDEX;
    const file = files.get(name);
    if (file === undefined) return sendText(reply, 503, 'The admin app is not built: npm run prepare\n');
    if (name === INDEX && path.startsWith(HASHED)) return sendText(reply, 404, 'Not found\n');
    return sendFile(request, reply, { file, cacheControl: cachedBy(name, 'no-store') });
  };
  server.get('/admin', (_request, reply) => reply.redirect('/admin/'));
  server.get('/admin/*', send);
}
