import type { TaxRuleInput } from '../commerce/taxes/contract.ts';

/** Sales taxes of the American states: code, percent, name; an asterisk if shipping is taxed as well. */
const STATES = `
  AL 4 Alabama | AZ 5.6 Arizona | AR* 6.5 Arkansas | CA 7.25 California | CO 2.9 Colorado |
  CT* 6.35 Connecticut | DC* 6 District of Columbia | FL 6 Florida | GA* 4 Georgia | HI* 4 Hawaii | ID 6 Idaho |
  IL* 6.25 Illinois | IN* 7 Indiana | IA 6 Iowa | KS* 6.5 Kansas | KY* 6 Kentucky | LA 5 Louisiana |
  ME 5.5 Maine | MD 6 Maryland | MA 6.25 Massachusetts | MI* 6 Michigan | MN* 6.875 Minnesota |
  MS* 7 Mississippi | MO 4.225 Missouri | NE* 5.5 Nebraska | NV 6.85 Nevada | NJ* 6.625 New Jersey |
  NM* 4.875 New Mexico | NY* 4 New York | NC* 4.75 North Carolina | ND* 5 North Dakota | OH* 5.75 Ohio |
  OK 4.5 Oklahoma | PA* 6 Pennsylvania | RI* 7 Rhode Island | SC* 6 South Carolina | SD* 4.2 South Dakota |
  TN* 7 Tennessee | TX* 6.25 Texas | UT 4.85 Utah | VT* 6 Vermont | VA 5.3 Virginia | WA* 6.5 Washington |
  WV* 6 West Virginia | WI* 5 Wisconsin | WY 4 Wyoming
`
  .split('|')
  .map((entry) => entry.trim());

/** Value-added tax of the countries of the European Union, in percent. */
const EUROPE = {
  AT: 20,
  BE: 21,
  BG: 20,
  CY: 19,
  CZ: 21,
  DE: 19,
  DK: 25,
  EE: 24,
  ES: 21,
  FI: 25.5,
  FR: 20,
  GR: 24,
  HR: 25,
  HU: 27,
  IE: 23,
  IT: 22,
  LT: 21,
  LU: 17,
  LV: 21,
  MT: 18,
  NL: 21,
  PL: 23,
  PT: 23,
  RO: 21,
  SE: 25,
  SI: 22,
  SK: 23,
};

/** Reduced rates for food. */
const FOOD_IN_EUROPE = { DE: 7, FR: 5.5, NL: 9 };

/** The tax class of food products. */
export const FOOD = 'food';

export const EUROPEAN_COUNTRIES = Object.keys(EUROPE);

/** Percent as a fraction, rounded to six decimals: 6.875 / 100 is not exactly 0.06875 in binary. */
const fraction = (percent: number): number => Math.round(percent * 10_000) / 1_000_000;

/** The shop's tax rules: by state in the United States, by country in Europe. */
export const TAXES: readonly TaxRuleInput[] = [
  ...STATES.map((entry) => {
    const [code, percent, ...name] = entry.split(' ');
    return {
      name: `${name.join(' ')} sales tax`,
      country: 'US',
      state: code!.slice(0, 2),
      rate: fraction(Number(percent)),
      applies_to_shipping: code!.endsWith('*'),
    };
  }),
  {
    name: 'New York City sales tax',
    country: 'US',
    state: 'NY',
    zip_from: '10001',
    zip_to: '10299',
    rate: 0.045,
    priority: 2,
    applies_to_shipping: true,
  },
  ...Object.entries(EUROPE).map(([country, percent]) => vat(country, percent)),
  ...Object.entries(FOOD_IN_EUROPE).map(([country, percent]) => ({ ...vat(country, percent), tax_class: FOOD })),
];

function vat(country: string, percent: number): TaxRuleInput {
  return { name: `VAT ${country} ${percent} %`, country, rate: fraction(percent), applies_to_shipping: true };
}
