import type pg from 'pg';

const FIRST_NAMES = [
  'Ada',
  'Bram',
  'Chiara',
  'Dunja',
  'Emil',
  'Fatima',
  'Goran',
  'Hanna',
  'Ivo',
  'Jana',
  'Kofi',
  'Lena',
];
const LAST_NAMES = ['Berg', 'Costa', 'Dahl', 'Evers', 'Fischer', 'Groot', 'Haas', 'Ito', 'Jansen', 'Keller', 'Lang'];
/** One contact of so many has a name with letters that no other has side by side. */
export const RARE_EVERY = 50_000;
export const RARE_NAME = 'Qxwerth';
const DAYS = 365;

/** Contacts of whom one in twenty has left and one in fifty bounced, with tags and properties. */
export async function addContacts(client: pg.Client, companyId: number, count: number): Promise<void> {
  await client.query(
    `insert into contacts (company_id, external_id, email, phone, first_name, last_name, source, tags, properties, status, search,
       created_at, updated_at)
     select $1, n, email, '+3161' || lpad(n::text, 7, '0'), first, last, (array['web', 'shop', 'import'])[1 + n % 3],
       case when n % 10 = 0 then array['vip', 'newsletter'] when n % 3 = 0 then array['newsletter'] else '{}' end,
       jsonb_build_object('plan', (array['free', 'free', 'basic', 'pro'])[1 + n % 4], 'age', 18 + n % 60,
         'city', (array['Utrecht', 'Berlin', 'Porto', 'Split', 'Gent'])[1 + n % 5]),
       case when n % 20 = 7 then 'unsubscribed' when n % 50 = 9 then 'bounced' else 'subscribed' end,
       lower(first || ' ' || last || chr(10) || email), at, at
     from (
       select n, first, last, lower(first || '.' || last) || n || '@mail-' || n % 97 || '.example' as email,
         now() - n % ${DAYS} * interval '1 day' as at
       from (
         select n, ($3::text[])[1 + n % ${FIRST_NAMES.length}] as first,
           case when n % ${RARE_EVERY} = 0 then $5 else ($4::text[])[1 + n % ${LAST_NAMES.length}] end as last
         from generate_series(1, $2::int) n
       ) named
     ) people`,
    [companyId, count, FIRST_NAMES, LAST_NAMES, RARE_NAME],
  );
}
