import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';
import { pictureOf } from './pictures.ts';

/** The pictures of the demo shop's products, drawn by the program itself. */
export function demoPages(server: FastifyInstance): void {
  server.get('/demo/images/:file', (request, reply) => {
    const { file } = request.params as { file: string };
    const picture = file.endsWith('.svg') ? pictureOf(file.slice(0, -4)) : undefined;
    if (picture === undefined) throw new AppError('not_found', 'Not found');
    return reply
      .header('Content-Type', 'image/svg+xml; charset=utf-8')
      .header('Cache-Control', 'public, max-age=86400')
      .send(picture);
  });
}
