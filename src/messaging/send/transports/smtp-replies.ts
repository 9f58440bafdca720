import { type DeliveryResult, type Fault, failed } from './port.ts';

/** One complete reply of an SMTP server; several lines are joined by line breaks. */
export interface SmtpReply {
  code: number;
  text: string;
}

/** Longer than any legitimate reply. */
const LONGEST_REPLY = 64 * 1024;

/**
 * Splits the data of a server into replies, whatever its chunks. The reader throws an Error at anything that is not an SMTP reply; after
 * that, replies can no longer be told apart.
 */
export function replyReader(): (piece: Buffer) => SmtpReply[] {
  let rest = '';
  let lines: string[] = [];
  return (piece) => {
    const replies: SmtpReply[] = [];
    rest += piece.toString('latin1');
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const line = rest.slice(0, rest[end - 1] === '\r' ? end - 1 : end);
      rest = rest.slice(end + 1);
      const [, code, mark] = /^([2-5]\d\d)(?:([ -])|$)/.exec(line) ?? [];
      if (code === undefined) throw new Error(`no reply of SMTP: ${line.slice(0, 200)}`);
      lines.push(line);
      if (mark === '-') continue;
      replies.push({ code: Number(code), text: decode(lines.join('\n')) });
      lines = [];
    }
    if (rest.length + lines.reduce((sum, line) => sum + line.length, 0) > LONGEST_REPLY) {
      throw new Error('a reply of SMTP without an end');
    }
    return replies;
  };
}

/** Replies have no declared charset: decoded as UTF-8 if valid, otherwise byte by byte. */
function decode(latin1: string): string {
  if (!/[\x80-\xff]/.test(latin1)) return latin1;
  const utf8 = Buffer.from(latin1, 'latin1').toString('utf8');
  return utf8.includes('\ufffd') ? latin1 : utf8;
}

/** Returns what a 4xx or 5xx reply to a command means for the message; null for any other. */
export function refusal({ code, text }: SmtpReply, command: string): DeliveryResult | null {
  if (code < 400 || code > 599) return null;
  // 503 concerns the order of commands, so the session is at fault.
  const permanent = code >= 500 && code !== 503;
  return failed(faultOf(code, text, command), text, { permanent });
}

/**
 * Uses the enhanced status code (RFC 3463) if there is one: x.1 and x.2 concern the mailbox, except 1.7 and 1.8 which concern the sender's;
 * x.6 and x.7 concern content and policy. Without one, only a reply to RCPT is about the recipient. Temporary policy failures (4.7), mostly
 * greylisting, and 451 alone are attributed to the recipient's domain.
 */
function faultOf(code: number, text: string, command: string): Fault {
  if (code === 421 || code === 503) return 'service';
  const deferred = code < 500 && command !== 'MAIL FROM';
  if (deferred && /gr[ae]y-?list/i.test(text)) return 'domain';
  const [, subject, detail] = /^\d{3}[ -][45]\.(\d{1,3})\.(\d{1,3})\b/.exec(text) ?? [];
  if (subject === undefined && deferred && code === 451) return 'domain';
  if (subject === undefined) return command === 'RCPT TO' ? 'recipient' : 'message';
  if (subject === '1' || subject === '2') {
    return command === 'MAIL FROM' || (subject === '1' && (detail === '7' || detail === '8')) ? 'message' : 'recipient';
  }
  if (subject === '7' && deferred) return 'domain';
  return subject === '6' || (subject === '7' && code >= 500) ? 'message' : 'service';
}
