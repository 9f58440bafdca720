import type { Caller } from '../../../caller.ts';
import { AppError, type FieldError, found, validationFailed } from '../../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../../lib/paging.ts';
import { type ConfigurationDeps, checkRoom, configure } from '../../configuration.ts';
import { mergeText, readCountry } from '../../fields.ts';
import { checkState, stateCode } from '../../states.ts';
import { type Location, type LocationInput, type LocationPatch, MAX_POSITION } from './contract.ts';
import * as queries from './queries.ts';

/** Bounded, because all of them are kept in memory (see shop.ts) and looked through for each order. */
const MAX_LOCATIONS = 100;

export type LocationsService = ReturnType<typeof createLocationsService>;

/** Where the shop keeps its stock. */
export function createLocationsService(deps: ConfigurationDeps) {
  const { db } = deps;
  return {
    /** By position. */
    async listLocations(companyId: number, query: PageQuery): Promise<Page<Location>> {
      const page = pageOf(query);
      const all = await queries.listLocations(db.lists(companyId), companyId);
      return { rows: all.slice(page.skip, page.skip + page.take).map(record), total: all.length, ...page };
    },

    /** Throws not_found. */
    async getLocation(companyId: number, id: number): Promise<Location> {
      return record(found(await queries.findLocation(db.points(companyId), companyId, id), 'location'));
    },

    /** Throws validation_failed. */
    async createLocation(caller: Caller, input: LocationInput): Promise<Location> {
      const { companyId, now } = caller;
      return configure(deps, caller, { action: 'location.create', details: input }, async (tx) => {
        await queries.lockMainLocation(tx, companyId);
        const all = await queries.listLocations(tx, companyId);
        checkRoom(all.length, MAX_LOCATIONS, 'locations');
        const last = Math.max(0, ...all.map((one) => one.position));
        const values = merged(input, { ...NEW_LOCATION, position: Math.min(MAX_POSITION, last + 1) });
        return record(await queries.insertLocation(tx, companyId, values, now));
      });
    },

    /** Sets the given fields. Throws not_found, validation_failed, location_not_empty. */
    async updateLocation(caller: Caller, id: number, patch: LocationPatch): Promise<Location> {
      const { companyId } = caller;
      return configure(deps, caller, { action: 'location.update', details: patch }, async (tx) => {
        const old = found(await queries.lockLocation(tx, companyId, id), 'location');
        const values = merged(patch, old);
        if (old.main) checkMain(values);
        const isMoved = values.online !== old.online || (old.active && !values.active);
        if (isMoved && !(await queries.isEmpty(tx, companyId, id))) {
          throw new AppError('location_not_empty', 'The location has stock, reservations or open transfers', {
            location_id: id,
          });
        }
        return record(await queries.updateLocation(tx, companyId, id, values));
      });
    },
  };
}

const NEW_LOCATION = {
  name: '',
  online: true,
  active: true,
  address: null,
  city: null,
  zip: null,
  state: null,
  country: null,
};

/** The old values with those given. Throws validation_failed. */
function merged(given: LocationPatch, old: queries.LocationValues): queries.LocationValues {
  const errors: FieldError[] = [];
  const country = given.country ? readCountry('country', given.country, errors) : mergeText(given.country, old.country);
  const state = mergeText(given.state, old.state);
  const isChanged = country !== old.country || state !== old.state;
  if (isChanged && country && state !== null) checkState('state', state, country, errors);
  if (errors.length > 0) throw validationFailed(errors);
  return {
    name: given.name ?? old.name,
    online: given.online ?? old.online,
    active: given.active ?? old.active,
    position: given.position ?? old.position,
    address: mergeText(given.address, old.address),
    city: mergeText(given.city, old.city),
    zip: mergeText(given.zip, old.zip),
    state: country === null ? state : stateCode(state, country),
    country,
  };
}

/** The main location is online and active for good. */
function checkMain(values: queries.LocationValues): void {
  const errors = (['online', 'active'] as const)
    .filter((field) => !values[field])
    .map((field) => ({ field, code: 'not_allowed', message: `${field} of the main location is always true` }));
  if (errors.length > 0) throw validationFailed(errors);
}

function record(row: queries.LocationRow): Location {
  return { ...row, created_at: row.created_at.toISOString() };
}
