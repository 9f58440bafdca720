import { expect, test } from 'vitest';
import { zoneOfContact } from './time-zone.ts';

test('a zone of the contact’s own goes before that of the address, and a text that is none is ignored', () => {
  const address = { country: 'JP', state: null };
  expect(zoneOfContact({ ...address, zone: 'Europe/Rome' })).toBe('Europe/Rome');
  expect(zoneOfContact({ ...address, zone: 'Mars/Base' })).toBe('Asia/Tokyo');
  expect(zoneOfContact({ ...address, zone: null })).toBe('Asia/Tokyo');
  expect(zoneOfContact({ country: null, state: 'TX', zone: '' })).toBe(null);
});
