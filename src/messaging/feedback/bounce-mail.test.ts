import { describe, expect, test } from 'vitest';
import { processorMs } from '../../lib/threads/processor-time.ts';
import { readBounceMail } from './bounce-mail.ts';

const ID = '<m7.c1@shop.example>';

/** A bounce mail with the given groups of fields, one per recipient. */
function bounceMail(groups: string[], { encoding = '', newline = '\r\n' } = {}): Buffer {
  const status = ['Reporting-MTA: dns; mx.example.net', ...groups].join('\n\n');
  const lines = [
    'From: MAILER-DAEMON@mx.example.net',
    'Subject: Undelivered Mail Returned to Sender',
    'Content-Type: multipart/report; report-type=delivery-status;',
    '\tboundary="=_a b+c"',
    '',
    'This is a MIME message.',
    '--=_a b+c',
    'Content-Type: text/plain',
    '',
    'I could not deliver to <somebody@else.example>.',
    '--=_a b+c',
    'Content-Type: message/delivery-status',
    ...(encoding === '' ? [] : [`Content-Transfer-Encoding: ${encoding}`]),
    '',
    encoding === 'base64' ? Buffer.from(status).toString('base64') : status,
    '--=_a b+c',
    'Content-Type: message/rfc822',
    '',
    `Message-ID: ${ID}`,
    'To: ann@example.net',
    '',
    'Hello',
    '--=_a b+c--',
    'Trailing',
  ];
  return Buffer.from(lines.join('\n').replaceAll('\n', newline));
}

const failed = (to: string, status: string) => `Final-Recipient: rfc822; ${to}\nAction: failed\nStatus: ${status}`;

describe('a bounce mail', () => {
  test.each([
    ['a dead address', [failed('ann@example.net', '5.1.1')], [{ kind: 'hard', email: 'ann@example.net' }]],
    ['a full mailbox given up', [failed('ann@example.net', '4.2.2')], [{ kind: 'soft', email: 'ann@example.net' }]],
    [
      'several recipients',
      [failed('a@example.net', '5.0.0'), failed('b@example.net', '4.4.7')],
      [
        { kind: 'hard', email: 'a@example.net' },
        { kind: 'soft', email: 'b@example.net' },
      ],
    ],
    [
      'one that was forwarded',
      [`Original-Recipient: rfc822;ann@example.net\n${failed('other@example.org', '5.1.1')}`],
      [{ kind: 'hard', email: 'ann@example.net' }],
    ],
    ['a delay', ['Final-Recipient: rfc822; ann@example.net\nAction: delayed\nStatus: 4.4.1'], []],
    ['a delivery', ['Final-Recipient: rfc822; ann@example.net\nAction: delivered\nStatus: 2.0.0'], []],
    [
      'folded fields',
      [failed('ann@example.net', '\n 5.1.1 (no such user)')],
      [{ kind: 'hard', email: 'ann@example.net' }],
    ],
  ])('about %s', (_name, groups, expected) => {
    const reports = expected.map((one) => ({ ...one, messageId: ID }));
    expect(readBounceMail(bounceMail(groups))).toEqual(reports);
    expect(readBounceMail(bounceMail(groups, { newline: '\n' }))).toEqual(reports);
    expect(readBounceMail(bounceMail(groups, { encoding: 'base64' }))).toEqual(reports);
  });

  test('with the mail that it reports on is read by that mail’s recipient where it is a complaint', () => {
    const part = (type: string, body: string) => `--x\nContent-Type: ${type}\n\n${body}\n`;
    const mail = (fields: string) =>
      Buffer.from(
        `Content-Type: multipart/report; boundary=x\n\n${part('text/plain', 'Spam!')}${part('message/feedback-report', fields)}${part('text/rfc822-headers', `To: Ann <ann@example.net>\nMessage-ID: ${ID}`)}--x--\n`,
      );
    const complaint = { kind: 'complaint', messageId: ID };
    expect(readBounceMail(mail('Feedback-Type: abuse\nVersion: 1'))).toEqual([
      { ...complaint, email: 'ann@example.net' },
    ]);
    expect(readBounceMail(mail('Feedback-Type: abuse\nOriginal-Rcpt-To: <b@example.net>'))).toEqual([
      { ...complaint, email: 'b@example.net' },
    ]);
    expect(readBounceMail(mail('Feedback-Type: not-spam'))).toEqual([]);
  });

  test.each([
    ['nothing', ''],
    ['an absence note', 'Subject: Out of office\n\nI am away. Status: 5.1.1'],
    ['a boundary without an end', 'Content-Type: multipart/mixed; boundary=x\n\n--x'],
    ['parts in parts without end', 'Content-Type: multipart/mixed; boundary=x\n\n--x\n'.repeat(10_000)],
    ['no lines', 'x'.repeat(200_000)],
  ])('of %s says nothing, and soon', (_name, text) => {
    const began = processorMs();
    expect(readBounceMail(Buffer.from(text))).toEqual([]);
    expect(processorMs() - began).toBeLessThan(1_000);
  });
});
