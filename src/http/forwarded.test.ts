import { describe, expect, it } from 'vitest';
import { testServer } from '../testing/harness.ts';

const alone = testServer({ impatient: true });
const behindOther = testServer({ impatient: true, config: { trustedProxies: ['192.0.2.1'] } });

describe('forwarded headers from an address that is no configured proxy', () => {
  it.each([
    ['without a proxy', alone],
    ['behind another one', behindOther],
  ])('make nobody somebody else: %s', async (_where, server) => {
    const statuses: number[] = [];
    for (let i = 1; i <= 31; i++) {
      const headers = {
        'x-forwarded-for': `203.0.113.${i}`,
        'x-real-ip': `203.0.113.${i}`,
        forwarded: `for=203.0.113.${i}`,
      };
      statuses.push((await server.request('GET', '/commerce/v1/products', { headers })).status);
    }
    expect(statuses).toEqual([...Array(30).fill(401), 429]);
  });

  it.each([
    ['without a proxy', alone],
    ['behind another one', behindOther],
  ])('bring no https and no other host: %s', async (_where, server) => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' };
    const response = await server.request('GET', '/', { headers });
    expect(response.headers.get('strict-transport-security')).toBeNull();
    expect(response.headers.get('location')).toBe('/admin/');
  });
});
