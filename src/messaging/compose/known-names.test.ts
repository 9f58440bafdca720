import { expect, test } from 'vitest';
import type { Db, Queryable } from '../../db/pool.ts';
import { createKnownNames } from './preview.ts';

/** Counts queries by company; every lane except `lists` throws. */
function counted() {
  const reads: string[] = [];
  const lists = (companyId: number): Queryable => ({
    async query<Row>({ text }: { text: string }) {
      reads.push(`${companyId} ${text.includes('jsonb_object_keys') ? 'properties' : 'coupons'}`);
      return [{ name: 'city', code: 'SPRING' }] as Row[];
    },
  });
  return { reads, db: { lists } as unknown as Pick<Db, 'lists'> };
}

test('properties are read once a minute for a company, coupons each time, as lists', async () => {
  const { reads, db } = counted();
  let now = 1_000;
  const namesOf = createKnownNames(db, () => now);
  const [first] = await Promise.all([namesOf(1), namesOf(1)]);
  expect(first).toMatchObject({ contact: { properties: { city: true } }, coupon: { SPRING: true } });
  now += 59_000;
  await namesOf(1);
  await namesOf(2);
  expect(reads.sort()).toEqual([...Array(3).fill('1 coupons'), '1 properties', '2 coupons', '2 properties']);
  now += 2_000;
  await namesOf(1);
  expect(reads.filter((read) => read === '1 properties')).toHaveLength(2);
});

test('a read that fails is tried again by the next preview', async () => {
  const { reads, db } = counted();
  let fails = true;
  const lists = (companyId: number): Queryable => {
    if (fails) throw new Error('gone');
    return db.lists(companyId);
  };
  const namesOf = createKnownNames({ lists } as unknown as Pick<Db, 'lists'>, () => 1);
  await expect(namesOf(1)).rejects.toThrow('gone');
  fails = false;
  await namesOf(1);
  expect(reads).toHaveLength(2);
});
