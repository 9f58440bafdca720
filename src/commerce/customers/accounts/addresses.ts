import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { KeysetPage } from '../../../db/keyset-pages.ts';
import type { Db, Tx } from '../../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../../db/sql.ts';
import { type FieldError, found, invalidField, validationFailed } from '../../../errors.ts';
import { normalisePhone } from '../../../lib/addresses.ts';
import { readCountry } from '../../fields.ts';
import type { ShopCache } from '../../shop.ts';
import { readState } from '../../states.ts';
import type { AddressInput, AddressPatch, CustomerAddress } from './schemas.ts';

const MOST = 20;
const FIELDS = rawSql(
  'id, first_name, last_name, company, phone, address, city, state, zip, country, created_at, updated_at',
);

type AddressRow = Omit<CustomerAddress, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date };
type Fields = Omit<AddressRow, 'id' | 'created_at' | 'updated_at'>;

const EMPTY: Fields = {
  first_name: '',
  last_name: '',
  company: '',
  phone: '',
  address: '',
  city: '',
  state: '',
  zip: '',
  country: '',
};

/** The address book of a customer. */
export function createAddressBook({ db, shops }: { db: Db; shops: ShopCache }) {
  /** Merges what is given with the old fields. Throws validation_failed. */
  async function fieldsOf(companyId: number, given: AddressPatch, old: Fields): Promise<Fields> {
    const shop = await shops.get(companyId);
    const errors: FieldError[] = [];
    const country = given.country === undefined ? old.country : readCountry('country', given.country, errors);
    const state = given.state ?? old.state;
    const merged = {
      ...old,
      ...given,
      country,
      state: readState('state', state, country || shop.country, shop, errors),
      phone: given.phone
        ? (normalisePhone(given.phone, country || shop.country) ?? given.phone)
        : (given.phone ?? old.phone),
    };
    if (errors.length > 0) throw validationFailed(errors);
    return merged;
  }

  return {
    /** By age. There are few. */
    async listAddresses(companyId: number, customerId: number): Promise<CustomerAddress[]> {
      const rows = await db.points(companyId).query<AddressRow>(sql`
        select ${FIELDS} from customer_addresses
        where company_id = ${companyId} and customer_id = ${customerId} order by id`);
      return rows.map(recordOf);
    },

    /** Throws validation_failed. */
    async addAddress(caller: Caller, customerId: number, input: AddressInput): Promise<CustomerAddress> {
      const { companyId, now } = caller;
      const fields = await fieldsOf(companyId, input, EMPTY);
      return write(db, caller, async (tx) => {
        await lockOwner(tx, companyId, customerId);
        const [row] = await tx.query<AddressRow>(sql`
          insert into customer_addresses (company_id, customer_id, first_name, last_name, company, phone, address, city, state,
            zip, country, created_at, updated_at)
          select ${companyId}, ${customerId}, ${fields.first_name}, ${fields.last_name}, ${fields.company}, ${fields.phone},
            ${fields.address}, ${fields.city}, ${fields.state}, ${fields.zip}, ${fields.country}, ${now}, ${now}
          where (select count(*) from customer_addresses
            where company_id = ${companyId} and customer_id = ${customerId}) < ${MOST}
          returning ${FIELDS}`);
        if (row === undefined) throw invalidField('address', `A customer may have ${MOST} addresses`, 'too_many');
        return recordOf(row);
      });
    },

    /** Sets the given fields. Throws not_found, validation_failed. */
    async updateAddress(caller: Caller, customerId: number, id: number, patch: AddressPatch): Promise<CustomerAddress> {
      const { companyId, now } = caller;
      return write(db, caller, async (tx) => {
        const old = found(await lockAddress(tx, companyId, customerId, id), 'address');
        const { first_name, last_name, company, phone, address, city, state, zip, country } = await fieldsOf(
          companyId,
          patch,
          old,
        );
        const [row] = await tx.query<AddressRow>(sql`
          update customer_addresses set first_name = ${first_name}, last_name = ${last_name}, company = ${company},
            phone = ${phone}, address = ${address}, city = ${city}, state = ${state}, zip = ${zip}, country = ${country},
            updated_at = ${now}
          where company_id = ${companyId} and customer_id = ${customerId} and id = ${id}
          returning ${FIELDS}`);
        return recordOf(row!);
      });
    },

    /** Throws not_found. */
    async removeAddress(caller: Caller, customerId: number, id: number): Promise<{ id: number; deleted: boolean }> {
      const { companyId } = caller;
      return write(db, caller, async (tx) => {
        const rows = await tx.query(sql`
          delete from customer_addresses
          where company_id = ${companyId} and customer_id = ${customerId} and id = ${id} returning id`);
        found(rows[0], 'address');
        return { id, deleted: true };
      });
    },
  };
}

/** So that simultaneous requests do not add more addresses than allowed. Throws not_found. */
async function lockOwner(tx: Tx, companyId: number, customerId: number): Promise<void> {
  const rows = await tx.query(sql`
    select 1 from customers where company_id = ${companyId} and id = ${customerId} and erased_at is null for update`);
  found(rows[0], 'customer');
}

async function lockAddress(tx: Tx, companyId: number, customerId: number, id: number): Promise<Fields | undefined> {
  const rows = await tx.query<Fields>(sql`
    select first_name, last_name, company, phone, address, city, state, zip, country from customer_addresses
    where company_id = ${companyId} and customer_id = ${customerId} and id = ${id} for update`);
  return rows[0];
}

function recordOf(row: AddressRow): CustomerAddress {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}

/** Selects the customer's addresses, for `keysetPages`. */
export function addressesOfCustomer(companyId: number, customerId: number, { after, limit }: KeysetPage): Statement {
  return sql`
    select id, json_build_object('id', id, 'first_name', first_name, 'last_name', last_name, 'company', company,
      'phone', phone, 'address', address, 'city', city, 'state', state, 'zip', zip, 'country', country,
      'created_at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as data
    from customer_addresses where company_id = ${companyId} and customer_id = ${customerId} and id > ${after}
    order by id limit ${limit}`;
}
