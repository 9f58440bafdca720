import { describe, expect, test } from 'vitest';
import { eachCompany, inSets, PartlyFailed } from './sets.ts';

const never = new AbortController().signal;

describe('inSets', () => {
  /** A queue of members, some of which always fail; a set with one of them fails as a whole. */
  function line(count: number, bad: number[]) {
    const due = Array.from({ length: count }, (_, i) => i);
    const done: number[] = [];
    const given: number[] = [];
    const turn = () =>
      inSets({
        size: 4,
        work: async (limit) => {
          const set = due.slice(0, limit);
          if (set.some((member) => bad.includes(member))) throw new TypeError('this one');
          done.push(...due.splice(0, set.length));
          return set.length;
        },
        giveUp: async () => {
          given.push(due.shift()!);
          return 1;
        },
      });
    return { due, done, given, turn };
  }

  test('does everything except the failing items, and gives those up', async () => {
    const { due, done, given, turn } = line(11, [2, 3, 10]);
    while ((await turn()) > 0);
    expect(due).toEqual([]);
    expect(done).toEqual([0, 1, 4, 5, 6, 7, 8, 9]);
    expect(given).toEqual([2, 3, 10]);
  });

  test('gives nothing up while the database is away', async () => {
    const work = () => Promise.reject(new Error('connection refused'));
    const giveUp = () => Promise.reject(new Error('must not be asked'));
    await expect(inSets({ size: 4, work, giveUp })).rejects.toThrow('connection refused');
  });
});

describe('eachCompany', () => {
  test('serves everybody, and throws the first failure after the last', async () => {
    const served: number[] = [];
    const serve = async (companyId: number) => {
      if (companyId % 2 === 0) throw new Error(`failed ${companyId}`);
      served.push(companyId);
      return 1;
    };
    const failed = await eachCompany([1, 2, 3, 4, 5], never, serve).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(PartlyFailed);
    expect(failed).toMatchObject({ message: 'failed 2' });
    expect(served).toEqual([1, 3, 5]);
    expect(await eachCompany([1, 3, 5], never, serve)).toBe(3);
  });

  test('lanes that fail hold up none of the companies, and all have ended when it has', async () => {
    const served: number[] = [];
    const serve = async (companyId: number) => {
      await new Promise((resolve) => setTimeout(resolve, companyId));
      if (companyId < 3) throw new Error('failed');
      served.push(companyId);
      return 1;
    };
    await expect(eachCompany([1, 2, 30, 4, 5], never, serve, 2)).rejects.toBeInstanceOf(PartlyFailed);
    expect(served.toSorted((a, b) => a - b)).toEqual([4, 5, 30]);
  });

  test('counts what every lane did, whichever ends last', async () => {
    const serve = async (ms: number) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return ms === 20 ? 0 : ms;
    };
    expect(await eachCompany([1, 2, 20], never, serve, 3)).toBe(3);
  });

  test('gives up when everything fails, and when it is to stop', async () => {
    let asked = 0;
    const fail = () => Promise.reject(new Error(`failed ${++asked}`));
    await expect(
      eachCompany(
        Array.from({ length: 1_000 }, (_, i) => i),
        never,
        fail,
      ),
    ).rejects.toThrow('failed 1');
    expect(asked).toBeLessThan(20);
    expect(await eachCompany([1, 2], AbortSignal.abort(), async () => 1)).toBe(0);
  });
});
