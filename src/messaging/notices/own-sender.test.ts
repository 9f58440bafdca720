import { expect, test } from 'vitest';
import { ownSender } from './own-sender.ts';

test.each([
  [
    'the parameter from',
    'smtp://user%40x.example:p@h?from=links@shops.example',
    'https://a.example',
    'links@shops.example',
  ],
  ['the user, if it is an address', 'smtp://user%40x.example:p@h', 'https://a.example', 'user@x.example'],
  ['the public host', 'smtp://user:p@h', 'https://shops.example', 'tradeloom@shops.example'],
  ['a reserved name instead of an IP address', 'smtp://h', 'https://[2001:db8::1]', 'admin@tradeloom.example'],
  ['a reserved name where there is no public host', 'smtp://h', null, 'admin@tradeloom.example'],
])('the installation sends from %s', (_name, smtpUrl, publicUrl, address) => {
  expect(ownSender({ smtpUrl, publicUrl })).toEqual({ name: 'Tradeloom', address });
});
