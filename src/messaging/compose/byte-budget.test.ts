import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createByteBudget, type Reservation } from './byte-budget.ts';

const TOTAL = 64;
const JOB = 4;

test('no more than the budget is ever held, by one company no more than half, and everybody gets their part in the end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ company: fc.integer({ min: 1, max: 4 }), size: fc.integer({ min: 0, max: JOB }) }), {
        maxLength: 120,
      }),
      fc.infiniteStream(fc.nat(1_000)),
      async (asked, order) => {
        const budget = createByteBudget(TOTAL);
        const held: { company: number; reservation: Reservation; size: number }[] = [];
        let granted = 0;
        for (const { company, size } of asked) {
          void budget.reserve(company, JOB).then((reservation) => {
            granted += 1;
            expect(budget.used).toBeLessThanOrEqual(TOTAL);
            reservation.shrinkTo(size);
            held.push({ company, reservation, size });
            const mine = held.filter((one) => one.company === company).reduce((sum, one) => sum + one.size, 0);
            expect(mine).toBeLessThanOrEqual(TOTAL / 2);
          });
        }
        for (;;) {
          for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
          if (held.length === 0) break;
          const [one] = held.splice(order.next().value! % held.length, 1);
          one!.reservation.release();
        }
        expect(granted).toBe(asked.length);
        expect(budget.used).toBe(0);
      },
    ),
    { numRuns: 50 },
  );
});

test('a company whose mails are not taken leaves room for another', async () => {
  const budget = createByteBudget(TOTAL);
  let stuck = 0;
  for (let n = 0; n < 100; n += 1) void budget.reserve(1, JOB).then(() => stuck++);
  const other = await budget.reserve(2, JOB);
  expect(stuck).toBe(TOTAL / 2 / JOB);
  other.release();
});
