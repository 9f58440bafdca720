import type { BounceReport } from './bounce-report.ts';

/** Parses bounce mails (RFC 3464) and complaints (RFC 5965) as sent by mail servers. Pure. */

interface Part {
  headers: Map<string, string>;
  body: string;
}

/** Maximum nesting of parts. */
const MAX_DEPTH = 5;
const MAX_PARTS = 50;

/**
 * Returns the delivery reports in a message; empty if there are none, as in an out-of-office reply. The recipients are those it names; only
 * the quoted Message-ID shows that the mail is about a message of ours.
 */
export function readBounceMail(raw: Buffer): BounceReport[] {
  // One character per byte: headers and reports are ASCII.
  const parts = partsOf(raw.toString('latin1').replace(/\r\n?/g, '\n'), 0);
  const quoted = parts.find((part) => /^(message\/rfc822|text\/rfc822-headers|message\/global)/i.test(typeOf(part)));
  const messageId = quoted === undefined ? null : (headersOf(quoted.body.trimStart()).get('message-id') ?? null);
  const status = parts.find((part) => /^message\/(global-)?delivery-status/i.test(typeOf(part)));
  if (status !== undefined) return deliveries(status.body, messageId);
  const feedback = parts.find((part) => /^message\/feedback-report/i.test(typeOf(part)));
  if (feedback === undefined) return [];
  const fields = headersOf(feedback.body.trimStart());
  if (!/^(abuse|fraud|opt-out)/i.test(fields.get('feedback-type') ?? '')) return [];
  const recipient = fields.get('original-rcpt-to') ?? fields.get('removal-recipient');
  const to = recipient ?? (quoted && headersOf(quoted.body.trimStart()).get('to'));
  return to === undefined ? [] : [{ kind: 'complaint', email: addressOf(to), messageId }];
}

/** Parses a group of fields for the mail, then one per recipient, separated by empty lines. */
function deliveries(body: string, messageId: string | null): BounceReport[] {
  return body.split(/\n[ \t]*\n/).flatMap((group): BounceReport[] => {
    const fields = headersOf(group.trimStart());
    const recipient = fields.get('original-recipient') ?? fields.get('final-recipient');
    const status = /\b([245])\.\d{1,3}\.\d{1,3}\b/.exec(fields.get('status') ?? '')?.[1];
    const failed = /^failed/i.test(fields.get('action') ?? '');
    // A delay is not a failure yet: the other server keeps trying.
    if (recipient === undefined || !failed || status === '2') return [];
    return [{ kind: status === '4' ? 'soft' : 'hard', email: addressOf(recipient), messageId }];
  });
}

/** Extracts the address from `rfc822; a@example.net`, `Ann <a@example.net>` or the bare address. */
function addressOf(field: string): string {
  const text = field.replace(/^[^;]*;/, '');
  return (/<([^>]*)>/.exec(text)?.[1] ?? text).trim();
}

function typeOf(part: Part): string {
  return part.headers.get('content-type') ?? 'text/plain';
}

/** Returns the part itself and all parts within it. */
function partsOf(text: string, depth: number): Part[] {
  const { headers, body } = split(text);
  const part = { headers, body: decoded(body, headers.get('content-transfer-encoding')) };
  const boundary = /^multipart\/.*;\s*boundary=(?:"([^"]+)"|([^\s;]+))/is.exec(typeOf(part))?.slice(1).find(Boolean);
  if (boundary === undefined || depth >= MAX_DEPTH) return [part];
  const inner = `\n${body}`.split(`\n--${boundary}`).slice(1, MAX_PARTS);
  const open = inner.filter((one) => !one.startsWith('--'));
  return [part, ...open.flatMap((one) => partsOf(one.slice(one.indexOf('\n') + 1), depth + 1))];
}

function split(text: string): Part {
  // A part may start with the empty line: then it has no headers.
  const end = text.startsWith('\n') ? 0 : text.indexOf('\n\n');
  if (end < 0) return { headers: headersOf(text), body: '' };
  return { headers: headersOf(text.slice(0, end)), body: text.slice(end).replace(/^\n+/, '') };
}

/** Returns the fields up to the first empty line by lower-case name; of duplicates, the first. */
function headersOf(text: string): Map<string, string> {
  const head = text.split('\n\n', 1)[0]!.replace(/\n[ \t]+/g, ' ');
  const fields = new Map<string, string>();
  for (const line of head.split('\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (colon > 0 && !fields.has(name)) fields.set(name, line.slice(colon + 1).trim());
  }
  return fields;
}

function decoded(body: string, encoding = ''): string {
  if (/base64/i.test(encoding)) return Buffer.from(body, 'base64').toString('latin1').replace(/\r\n?/g, '\n');
  if (!/quoted-printable/i.test(encoding)) return body;
  const bytes = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));
  return body.replace(/=\n/g, '').replace(/=([0-9A-F]{2})/gi, bytes);
}
