import { describe, expect, test } from 'vitest';
import { readConfig } from '../../config.ts';
import { missingFor, missingSettings } from './missing-settings.ts';

const namesOf = (env: Record<string, string>) => missingSettings(readConfig({}, env)).map(({ name }) => name);
const PRODUCTION = { TRADELOOM_MODE: 'production' };
const WHOLE = {
  ...PRODUCTION,
  SMTP_URL: 'smtp://mail.example',
  SMS_URL: 'https://sms.example/',
  TRADELOOM_PUBLIC_URL: 'https://shop.example',
};

describe('settings that are missing for sending', () => {
  test('is nothing in development, where the mailbox keeps everything', () => {
    expect(namesOf({})).toEqual([]);
  });

  test('is each of the three settings in production', () => {
    expect(namesOf(PRODUCTION)).toEqual(['SMTP_URL', 'SMS_URL', 'TRADELOOM_PUBLIC_URL']);
    expect(namesOf(WHOLE)).toEqual([]);
  });

  test('is no transport where the mailbox was asked for', () => {
    expect(namesOf({ ...PRODUCTION, TRADELOOM_MAILBOX: '1' })).toEqual(['TRADELOOM_PUBLIC_URL']);
    expect(namesOf({ ...PRODUCTION, TRADELOOM_MAILBOX: '0' })).toContain('SMTP_URL');
  });

  test.each([
    'http://localhost:3000',
    'http://LOCALHOST./',
    'https://shop.localhost',
    'http://127.0.0.1',
    'http://127.9.9.9:80',
    'http://2130706433/',
    'http://0.0.0.0:3000',
    'http://[::1]:3000',
    'http://[::]',
    'http://[::ffff:127.0.0.1]',
  ])('is a public address where it is %s', (url) => {
    expect(namesOf({ ...WHOLE, TRADELOOM_PUBLIC_URL: url })).toEqual(['TRADELOOM_PUBLIC_URL']);
  });

  test.each(['https://127.example.com', 'http://10.0.0.1', 'https://[2001:db8::1]', 'http://localhost.example'])(
    'is no public address where it is %s',
    (url) => expect(namesOf({ ...WHOLE, TRADELOOM_PUBLIC_URL: url })).toEqual([]),
  );

  test('concerns its own channel, and links', () => {
    const missing = missingSettings(readConfig({}, { ...WHOLE, SMTP_URL: '', TRADELOOM_PUBLIC_URL: '' }));
    const causes = (['email', 'sms'] as const).flatMap((channel) =>
      [false, true].map((link) => missingFor(missing, channel, link)?.cause ?? null),
    );
    expect(causes).toEqual(['no_transport', 'no_transport', null, 'no_public_url']);
  });
});
