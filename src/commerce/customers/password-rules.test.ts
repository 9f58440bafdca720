import { beforeAll, describe, expect, it } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';

const server = testServer();
let shop: TestCompany;
let customer: number;

beforeAll(async () => {
  shop = await server.company();
  customer = (await shop.commerce('POST', '/customers', { email: 'rules@example.net' })).body.data.id;
});

const set = async (password: string) =>
  (await shop.commerce('POST', `/customers/${customer}/password`, { password })).status;
const isValid = async (password: string): Promise<boolean> =>
  (await shop.commerce('POST', `/customers/${customer}/verify-password`, { password })).body.data.valid;

describe('a password', () => {
  it('has 8 characters at least', async () => {
    expect(await set('x7w!kqp')).toBe(422);
    expect(await set('x7w!kqpz')).toBe(200);
  });

  it('may have 200 characters, and every one of them counts', async () => {
    const long = 'correct horse battery staple '.repeat(7).slice(0, 199);
    expect(await set(`${long}a`)).toBe(200);
    expect([await isValid(`${long}a`), await isValid(`${long}b`)]).toEqual([true, false]);
  });

  it('may be of letters alone, of figures alone, or of any signs', async () => {
    for (const password of ['onlylowerletters', '83746510293847', '!?%&/()=-_', 'пароль из слов', '🐎🔋📎🧵🐎🔋📎🧵']) {
      expect([password, await set(password), await isValid(password)]).toEqual([password, 200, true]);
    }
  });

  it('counts with its case and with the spaces around it', async () => {
    expect(await set(' Corner window ')).toBe(200);
    expect(await isValid(' Corner window ')).toBe(true);
    for (const other of ['Corner window', ' corner window ', ' Corner window'])
      expect(await isValid(other)).toBe(false);
  });
});
