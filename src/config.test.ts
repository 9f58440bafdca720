import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

const trusted = (text: string) => readConfig({}, { TRADELOOM_TRUSTED_PROXIES: text }).trustedProxies;

describe('TRADELOOM_TRUSTED_PROXIES', () => {
  it.each([
    ['127.0.0.1', ['127.0.0.1']],
    ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
    ['10.0.0.0/255.0.0.0', ['10.0.0.0/255.0.0.0']],
    ['fd00::/8', ['fd00::/8']],
    ['loopback,linklocal,uniquelocal', ['loopback', 'linklocal', 'uniquelocal']],
    [' ', []],
  ])('takes %j, as the server does', (text, proxies) => {
    expect(trusted(text)).toEqual(proxies);
    expect(() => Fastify({ trustProxy: trusted(text) })).not.toThrow();
  });

  it.each([
    'foo',
    '127.0.0.1,foo',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '10.0.0.0/255.0.255.0',
    '10.0.0.0/x',
    '10.0.0.0/',
    'fd00::/129',
    'fd00::/ffff::',
    '127.0.0.1:80',
    'Loopback',
    'fe80::1%eth0',
    'constructor',
  ])('refuses %j by its name', (text) => {
    const wrong = text.split(',').at(-1);
    expect(() => trusted(text)).toThrow(
      `TRADELOOM_TRUSTED_PROXIES names "${wrong}"; it takes IP addresses, networks such as 10.0.0.0/8, loopback, linklocal and uniquelocal`,
    );
  });
});

describe('the address of the server', () => {
  it.each([
    ['PORT is empty; it takes 0 to 65535', { port: '' }],
    ['HOST is 999.1.1.1; it takes an IP address or a name', { host: '999.1.1.1' }],
    ['HOST is a/b; it takes an IP address or a name', { host: 'a/b' }],
    ['HOST is fe80::1%eth0; it takes an IP address or a name', { host: 'fe80::1%eth0' }],
    ['HOST is [::1]; it takes an IP address or a name', { host: '[::1]' }],
    ['HOST is a:80; it takes an IP address or a name', { host: 'a:80' }],
    ['HOST is empty; it takes an IP address or a name', { host: '' }],
  ])('is refused as %j', (sentence, flags) => {
    expect(() => readConfig(flags, {})).toThrow(sentence);
  });
});

describe('the addresses of payment services', () => {
  const urls = (env: NodeJS.ProcessEnv) => readConfig({}, env).paymentUrls;

  it('are their own, or stand-ins on this machine', () => {
    expect(urls({})).toEqual({ stripe: null, mollie: null });
    for (const url of [
      'http://127.0.0.1:4010',
      'http://localhost:4010/v2/',
      'http://[::1]:4010',
      'https://127.8.0.1',
    ]) {
      expect(urls({ TRADELOOM_STRIPE_URL: url })).toEqual({ stripe: url, mollie: null });
      expect(urls({ TRADELOOM_MOLLIE_URL: url })).toEqual({ stripe: null, mollie: url });
    }
  });

  it.each([
    'https://api.stripe.com',
    'http://10.0.0.1',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://127.0.0.1@example.com',
    'ftp://127.0.0.1',
    '127.0.0.1:4010',
  ])('are not %s', (url) => {
    const sentence = 'TRADELOOM_STRIPE_URL must be an address on this machine, such as http://127.0.0.1:4010';
    expect(() => urls({ TRADELOOM_STRIPE_URL: url })).toThrow(sentence);
  });
});
