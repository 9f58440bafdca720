import type { FastifyInstance } from 'fastify';
import { html } from '../../lib/html.ts';
import type { Endpoint } from '../api/endpoint.ts';
import { commerceSurface } from '../api/surfaces/commerce.ts';
import { marketingSurface } from '../api/surfaces/marketing.ts';
import { storeSurface } from '../api/surfaces/store.ts';
import { openapiDocument } from './document.ts';
import { loadReferenceScript } from './reference-script.ts';
import type { Webhook } from './webhooks.ts';

const CSP = [
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:",
  "font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ');

const HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' };

/** Scalar without everything that would contact other hosts: its fonts, proxy, telemetry, client, agent. */
const SETTINGS = {
  sources: [
    { title: 'Commerce', slug: 'commerce', url: '/openapi/commerce.json', agent: { disabled: true }, default: true },
    { title: 'Marketing', slug: 'marketing', url: '/openapi/marketing.json', agent: { disabled: true } },
    { title: 'Store', slug: 'store', url: '/openapi/store.json', agent: { disabled: true } },
  ],
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  mcp: { disabled: true },
  externalUrls: { dashboardUrl: '', registryUrl: '', proxyUrl: '', apiBaseUrl: '' },
};

const PAGE = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tradeloom API reference</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<noscript>The reference needs JavaScript. The descriptions that it shows are
<a href="/openapi/commerce.json">commerce.json</a>, <a href="/openapi/marketing.json">marketing.json</a> and
<a href="/openapi/store.json">store.json</a>.</noscript>
<script src="/docs/scalar.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`.text;

const START = `Scalar.createApiReference('#reference', ${JSON.stringify(SETTINGS)});\n`;

export interface ReferenceDeps {
  endpoints: Record<'commerce' | 'marketing' | 'store', readonly Endpoint[]>;
  webhooks: Record<'commerce' | 'marketing' | 'store', readonly Webhook[]>;
}

/** Serves the descriptions of the APIs: for programs at /openapi/, and for people at /docs. */
export function referencePages(server: FastifyInstance, { endpoints, webhooks }: ReferenceDeps): void {
  const surfaces = { commerce: commerceSurface, marketing: marketingSurface, store: storeSurface };
  for (const name of ['commerce', 'marketing', 'store'] as const) {
    const surface = surfaces[name];
    // As bytes, which all responses share: a text would be encoded anew for each, and kept until its client has taken it.
    const bytes = once(() => Buffer.from(JSON.stringify(openapiDocument(surface, endpoints[name], webhooks[name]))));
    server.get(`/openapi/${name}.json`, (_request, reply) =>
      reply.headers(HEADERS).header('Cache-Control', 'no-cache').type('application/json; charset=utf-8').send(bytes()),
    );
  }
  server.get('/docs', (_request, reply) =>
    reply
      .headers({ ...HEADERS, 'Content-Security-Policy': CSP, 'Cache-Control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(PAGE),
  );
  server.get('/docs/', (_request, reply) => reply.redirect('/docs', 301));
  server.get('/docs/start.js', (_request, reply) =>
    reply.headers(HEADERS).header('Cache-Control', 'no-cache').type('text/javascript; charset=utf-8').send(START),
  );
  const script = once(loadReferenceScript);
  server.get('/docs/scalar.js', async (request, reply) => {
    const { plain, packed } = await script();
    reply.headers({ ...HEADERS, 'Cache-Control': 'max-age=3600', Vary: 'Accept-Encoding' });
    reply.type('text/javascript; charset=utf-8');
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return reply.send(plain);
    return reply.header('Content-Encoding', 'gzip').send(packed);
  });
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
