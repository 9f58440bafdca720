import { type DeliveryResult, type Fault, failed } from './port.ts';

/** One whole reply of an SMTP server, several lines of it joined by line breaks. */
export interface SmtpReply {
  code: number;
  text: string;
}

/** Longer than any reply that a server has reason to give. */
const LONGEST_REPLY = 64 * 1024;

/**
 * Cuts what a server sends into replies, whatever the pieces it comes in. The reader throws an Error at what is no reply
 * of SMTP; what follows cannot be told apart from then on.
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

/** Replies have no declared charset: UTF-8 where it is that, the bytes otherwise. */
function decode(latin1: string): string {
  if (!/[\x80-\xff]/.test(latin1)) return latin1;
  const utf8 = Buffer.from(latin1, 'latin1').toString('utf8');
  return utf8.includes('\ufffd') ? latin1 : utf8;
}

/** What a reply of 4xx or 5xx to a command means for the message; null for any other. */
export function refusal({ code, text }: SmtpReply, command: string): DeliveryResult | null {
  if (code < 400 || code > 599) return null;
  // 503 is about the order of commands: the session is at fault.
  const permanent = code >= 500 && code !== 503;
  return failed(faultOf(code, text, command), text, { permanent });
}

/**
 * By the enhanced status code (RFC 3463) where there is one: x.1 and x.2 speak of the mailbox, except 1.7 and 1.8 of
 * the sender's; x.6 and x.7 of content and policy. Without one, only a reply to RCPT is about the recipient. What is said
 * for now of policy (4.7), greylisting above all, and 451 alone come from the recipient's domain.
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
