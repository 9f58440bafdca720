import type { Random } from './random.ts';

export interface DemoCustomer {
  firstName: string;
  lastName: string;
  /** At example.com, which is reserved for examples. */
  email: string;
  address: string;
  city: string;
  /** Empty if the country has none. */
  state: string;
  zip: string;
  /** ISO 3166 alpha-2. */
  country: string;
  acceptsMarketing: boolean;
  /** Days before the shop is created. */
  joinedDaysAgo: number;
}

const FIRST_NAMES = [
  ...['Amara', 'Ben', 'Carmen', 'Dilan', 'Elsa', 'Farid', 'Grace', 'Hiro', 'Ines', 'Jonas', 'Kezia', 'Liam', 'Maren'],
  ...['Nadia', 'Owen', 'Priya', 'Quinn', 'Rosa', 'Samir', 'Tess', 'Uma', 'Victor', 'Wren', 'Yusuf', 'Zoe'],
];
const LAST_NAMES = [
  ...[
    'Abbott',
    'Brandt',
    'Castillo',
    'Doyle',
    'Eriksen',
    'Fontaine',
    'Goldberg',
    'Haddad',
    'Ito',
    'Jansen',
    'Kowalski',
  ],
  ...['Larsen', 'Mbeki', 'Nguyen', 'Okafor', 'Petrov', 'Ramirez', 'Sullivan', 'Tanaka', 'Underwood', 'Vance', 'Weaver'],
];
const STREETS = [
  'Alder Street',
  'Birch Lane',
  'Canal Road',
  'Dover Street',
  'Elm Court',
  'Foundry Row',
  'Garden Avenue',
];
const AT_HOME = [
  { city: 'Portland', state: 'OR', zip: '97205' },
  { city: 'Seattle', state: 'WA', zip: '98103' },
  { city: 'San Francisco', state: 'CA', zip: '94110' },
  { city: 'Denver', state: 'CO', zip: '80205' },
  { city: 'Austin', state: 'TX', zip: '78704' },
  { city: 'Chicago', state: 'IL', zip: '60622' },
  { city: 'New York', state: 'NY', zip: '10003' },
  { city: 'Boston', state: 'MA', zip: '02118' },
  { city: 'Honolulu', state: 'HI', zip: '96813' },
].map((place) => ({ ...place, country: 'US' }));
const ABROAD = [
  { city: 'Berlin', state: '', zip: '10119', country: 'DE' },
  { city: 'Paris', state: '', zip: '75011', country: 'FR' },
  { city: 'Amsterdam', state: '', zip: '1016 EK', country: 'NL' },
  { city: 'Dublin', state: '', zip: 'D02 XE80', country: 'IE' },
];

/** People with different names, the oldest customers first. */
export function inventPeople(random: Random, count: number): DemoCustomer[] {
  const people = new Map<string, DemoCustomer>();
  while (people.size < count) {
    const firstName = random.pick(FIRST_NAMES);
    const lastName = random.pick(LAST_NAMES);
    const email = `${firstName}.${lastName}@example.com`.toLowerCase();
    people.set(email, {
      firstName,
      lastName,
      email,
      address: `${random.between(1, 240)} ${random.pick(STREETS)}`,
      ...random.pick(random.next() < 0.15 ? ABROAD : AT_HOME),
      acceptsMarketing: random.next() < 0.7,
      joinedDaysAgo: random.between(3, 120),
    });
  }
  return [...people.values()].sort((a, b) => b.joinedDaysAgo - a.joinedDaysAgo);
}
