import type { Caller } from '../../../caller.ts';
import { constraintOf } from '../../../db/pool.ts';
import { AppError, found } from '../../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../../lib/paging.ts';
import { type ConfigurationDeps, checkRoom, configure } from '../../configuration.ts';
import type { Frequency, FrequencyInput, FrequencyPatch } from './contract.ts';
import * as queries from './queries.ts';

/** Bounded, because all of them are read at once. */
const MAX_FREQUENCIES = 200;

export type FrequenciesService = ReturnType<typeof createFrequenciesService>;

/** The choices of how often a subscription renews. */
export function createFrequenciesService(deps: ConfigurationDeps) {
  const { db } = deps;
  return {
    /** By position. */
    async listFrequencies(companyId: number, query: PageQuery): Promise<Page<Frequency>> {
      const page = pageOf(query);
      const all = await queries.listFrequencies(db.lists(companyId), companyId);
      return { rows: all.slice(page.skip, page.skip + page.take), total: all.length, ...page };
    },

    /** Throws not_found. */
    async getFrequency(companyId: number, id: number): Promise<Frequency> {
      return found(await queries.findFrequency(db.points(companyId), companyId, id), 'frequency');
    },

    /** Throws validation_failed where there are too many. */
    async createFrequency(caller: Caller, input: FrequencyInput): Promise<Frequency> {
      const { companyId } = caller;
      return configure(deps, caller, { action: 'subscription_frequency.create', details: input }, async (tx) => {
        const all = await queries.listFrequencies(tx, companyId);
        checkRoom(all.length, MAX_FREQUENCIES, 'frequencies');
        const { name, unit, interval, active = true, position = last(all) + 1 } = input;
        return queries.insertFrequency(tx, companyId, { name, unit, interval, active, position });
      });
    },

    /** Sets the given fields. Throws not_found. */
    async updateFrequency(caller: Caller, id: number, patch: FrequencyPatch): Promise<Frequency> {
      const { companyId } = caller;
      return configure(deps, caller, { action: 'subscription_frequency.update', details: patch }, async (tx) => {
        const old = found(await queries.lockFrequency(tx, companyId, id), 'frequency');
        return queries.updateFrequency(tx, companyId, { ...old, ...patch });
      });
    },

    /** Returns the deleted frequency. Throws not_found, in_use. */
    async deleteFrequency(caller: Caller, id: number): Promise<Frequency> {
      const { companyId } = caller;
      return configure(deps, caller, { action: 'subscription_frequency.delete' }, async (tx) =>
        found(await refuseUsed(() => queries.deleteFrequency(tx, companyId, id)), 'frequency'),
      );
    },
  };
}

const last = (all: queries.FrequencyRow[]): number => Math.max(0, ...all.map(({ position }) => position));

/** The foreign key of subscriptions decides, so that a subscription created at the same time counts. */
async function refuseUsed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (constraintOf(error) !== 'subscriptions_company_id_frequency_id_fkey') throw error;
    throw new AppError('in_use', 'Subscriptions have this frequency: switch it off instead');
  }
}
