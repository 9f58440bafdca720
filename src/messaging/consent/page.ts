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
table { width: 100%; border-collapse: collapse } td, th { text-align: left; font-weight: normal; padding: 0.35rem 0; border-bottom: 1px solid #8884; vertical-align: top }
td:last-child { text-align: right; white-space: nowrap } tr.total > * { font-weight: bold } small { opacity: 0.8 }
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
  look?: PageLook;
  /** Where a form of the page may lead, beside this server: browsers apply `form-action` to the redirect after a form, too. */
  leadsTo?: string | undefined;
  /** Directives of the policy in addition to those of every page, for pages that need scripts. */
  sources?: readonly string[];
}

/** What a company's pages look like. */
export interface PageLook {
  /** Above the title; an absolute URL. */
  logo_url: string | null;
  button_colors: { behind: string; text: string } | null;
}

export function sendPage(
  reply: FastifyReply,
  { language, title, content, look, leadsTo, sources = [] }: PublicPage,
  headers: Record<string, string> = {},
): FastifyReply {
  const { logo_url: logo = null, button_colors: colors = null } = look ?? {};
  const actions = leadsTo === undefined ? "form-action 'self'" : `form-action 'self' ${leadsTo}`;
  const pictures = logo === null ? '' : `; img-src ${new URL(logo).origin}`;
  const usual = PAGE_HEADERS['Content-Security-Policy'].replace("form-action 'self'", actions);
  const policy = [usual + pictures, ...sources].join('; ');
  const before = logo === null ? null : html`<img src="${logo}" alt="" style="max-width:100%;max-height:5rem">`;
  const style =
    colors === null
      ? null
      : html`<style>button { background: ${colors.behind}; color: ${colors.text}; border: 1px solid ${colors.text}; border-radius: 6px }</style>`;
  const page = html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${STYLE}${style}</head>
<body><main>${before}<h1>${title}</h1>
${content}
</main></body></html>
`;
  return reply.headers({ ...PAGE_HEADERS, 'Content-Security-Policy': policy, ...headers }).send(page.text);
}
