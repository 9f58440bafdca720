import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkOf } from './network.ts';

describe('a network', () => {
  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0DB8:0:0:9::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['2001:db8:a:b:c:d:198.51.100.1', '2001:db8:a:b::/64'],
    ['1::198.51.100.1', '1:0:0:0::/64'],
    ['2001:0DB8:0001::7', '2001:db8:1:0::/64'],
  ])('of %s is %s', (address, network) => expect(networkOf(address)).toBe(network));

  it('of any IPv6 address is its /64, or the IPv4 address mapped in it', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        expect(networkOf(address)).toMatch(/^([0-9a-f]{1,4}:){4}:\/64$|^\d+\.\d+\.\d+\.\d+$/);
      }),
    );
  });
});
