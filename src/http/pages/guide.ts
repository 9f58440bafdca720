import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cachedBy, readStaticFiles, type StaticFile, sendFile, sendText } from './static-files.ts';

/** Where `npm ci` builds the documentation. */
export const GUIDE_FOLDER = new URL('../../../docs/.vitepress/dist/', import.meta.url);

const ENDINGS = ['html', 'js', 'css', 'svg', 'png', 'webp', 'json', 'md', 'txt'];
/** Cached by the browser, which revalidates it each time. */
const REVALIDATED = 'no-cache';

/**
 * Serves the documentation at /docs/guide/, and /llms.txt and /llms-full.txt for language models. The files are read on the first request;
 * without a build every path reports that, and the program runs all the same.
 */
export function guidePages(server: FastifyInstance, { guideFolder = GUIDE_FOLDER }: { guideFolder?: URL }): void {
  let read: Map<string, StaticFile> | undefined;
  const send = (request: FastifyRequest, reply: FastifyReply, path: string): FastifyReply => {
    read ??= readStaticFiles(guideFolder, ENDINGS);
    const files = read;
    if (files.size === 0) return sendText(reply, 503, 'The documentation is not built: npm run prepare\n');
    const page = path === '' || path.endsWith('/') ? `${path}index` : path;
    const name = [path, `${page}.html`].find((one) => files.has(one));
    if (name !== undefined) {
      return sendFile(request, reply, { file: files.get(name)!, cacheControl: cachedBy(name, REVALIDATED) });
    }
    const notFound = /\.\w+$/.test(path) ? undefined : files.get('404.html');
    if (notFound === undefined) return sendText(reply, 404, 'Not found\n');
    return sendFile(request, reply, { file: notFound, cacheControl: 'no-store', status: 404 });
  };
  server.get('/docs/guide', (_request, reply) => reply.redirect('/docs/guide/', 301));
  server.get('/docs/guide/*', (request, reply) => send(request, reply, (request.params as { '*': string })['*']));
  for (const name of ['llms.txt', 'llms-full.txt']) {
    server.get(`/${name}`, (request, reply) => send(request, reply, name));
  }
}
