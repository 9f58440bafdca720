import type { FastifyReply } from 'fastify';
import { type Html, html } from '../../lib/html.ts';
import type { Language } from './languages.ts';

/** Headers of the pages that links in messages lead to. */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
};

const STYLE = html`<style>:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; line-height: 1.25 } h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem }
ul { list-style: none; padding: 0; margin: 0 }
.row { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: center; justify-content: space-between; padding: 0.5rem 0; border-bottom: 1px solid #8884 }
.row p, fieldset p { margin: 0 }
fieldset { border: 0; margin: 0; padding: 0 } label { display: block; padding: 0.35rem 0 }
input:not([type=radio]) { display: block; box-sizing: border-box; width: 100%; font: inherit; padding: 0.5rem; min-height: 44px }
button { font: inherit; padding: 0.5rem 1rem; min-height: 44px; cursor: pointer; max-width: 100% }
[role=status] { border-left: 4px solid #2a7; padding: 0.25rem 0.75rem } [role=alert] { border-left: 4px solid #c33; padding: 0.25rem 0.75rem }
.trap { position: absolute; left: -9999px; height: 1px; overflow: hidden }</style>`;

export interface PublicPage {
  language: Language;
  title: string;
  content: Html;
  /** Shown above the title. */
  before?: Html;
  /** Extra styles of this page. */
  style?: Html;
}

export function sendPage(
  reply: FastifyReply,
  { language, title, content, before, style }: PublicPage,
  headers: Record<string, string> = {},
): FastifyReply {
  const page = html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${STYLE}${style ?? null}</head>
<body><main>${before ?? null}<h1>${title}</h1>
${content}
</main></body></html>
`;
  return reply.headers({ ...PAGE_HEADERS, ...headers }).send(page.text);
}
