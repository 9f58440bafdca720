import type { IncomingHttpHeaders } from 'node:http';

/** Programs that fetch mail content by themselves: scanners, previews, crawlers, libraries. */
const PROGRAMS =
  /bot\b|crawl|spider|scan|preview|prefetch|barracuda|proofpoint|mimecast|symantec|trendmicro|fortinet|sophos|cloudmark|headlesschrome|python|curl|wget|java\/|go-http|okhttp|libwww/i;

/**
 * Whether a picture or a link was requested by a program and not by the recipient. Apple's mail privacy loads every picture as a bare
 * `Mozilla/5.0`; the image proxies of Google and Yahoo load it when the recipient looks, so they count as the recipient.
 */
export function isMachine(method: string, headers: IncomingHttpHeaders): boolean {
  const agent = headers['user-agent']?.trim() ?? '';
  const purpose = String(headers['sec-purpose'] ?? headers.purpose ?? headers['x-purpose'] ?? '');
  return (
    method === 'HEAD' ||
    agent === '' ||
    agent === 'Mozilla/5.0' ||
    /prefetch|preview/i.test(purpose) ||
    PROGRAMS.test(agent)
  );
}
