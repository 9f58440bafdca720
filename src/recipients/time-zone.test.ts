import { expect, test } from 'vitest';
import { zoneOfContact } from './time-zone.ts';

test('a contact’s own zone takes precedence over that of the address, and an invalid text is ignored', () => {
  const address = { country: 'JP', state: null };
  expect(zoneOfContact({ ...address, zone: 'Europe/Rome' })).toBe('Europe/Rome');
  expect(zoneOfContact({ ...address, zone: 'Mars/Base' })).toBe('Asia/Tokyo');
  expect(zoneOfContact({ ...address, zone: null })).toBe('Asia/Tokyo');
  expect(zoneOfContact({ country: null, state: 'TX', zone: '' })).toBe(null);
});
