import type { PaymentMethodInput } from '../commerce/payments/methods/contract.ts';
import type { ShippingMethod, ShippingMethodInput } from '../commerce/shipping/methods/contract.ts';
import type { ShippingZoneInput } from '../commerce/shipping/zones/contract.ts';
import { type DemoContext, HOUR_MS, OPENED_HOURS_AGO } from './context.ts';
import { EUROPEAN_COUNTRIES, TAXES } from './taxes.ts';

/** Where the shop ships to; the most specific zone of an address applies. */
const ZONES: readonly { zone: ShippingZoneInput; methods: Omit<ShippingMethodInput, 'zone_id'>[] }[] = [
  {
    zone: { name: 'United States', countries: ['US'] },
    methods: [
      { name: 'Standard, 3 to 5 days', type: 'free_over', cost: 4.95, free_over: 45 },
      { name: 'Express, next day', type: 'flat', cost: 14.5 },
    ],
  },
  {
    zone: { name: 'Alaska and Hawaii', countries: ['US'], states: ['AK', 'HI'] },
    methods: [
      {
        name: 'Air mail, 5 to 9 days',
        type: 'by_subtotal',
        brackets: [
          { from: 0, cost: 12.95 },
          { from: 60, cost: 8.95 },
          { from: 120, cost: 0 },
        ],
      },
    ],
  },
  {
    zone: { name: 'Manhattan', countries: ['US'], states: ['NY'], zip_patterns: ['10001...10282'] },
    methods: [
      { name: 'Standard, 2 to 3 days', type: 'free_over', cost: 4.95, free_over: 45 },
      { name: 'Bicycle courier, today', type: 'flat', cost: 9 },
    ],
  },
  {
    zone: { name: 'European Union', countries: EUROPEAN_COUNTRIES },
    methods: [
      { name: 'International, 6 to 10 days', type: 'free_over', cost: 14.9, free_over: 120 },
      { name: 'International express, 2 to 3 days', type: 'flat', cost: 34 },
    ],
  },
];

/** The promo code used by past orders, and the subtotal that it requires. */
export const USED_PROMO = { code: 'FERNHILL10', minSubtotal: 25 };

const PAYMENT_METHODS: readonly PaymentMethodInput[] = [
  {
    kind: 'bank_transfer',
    name: 'Bank transfer',
    description: 'We ship when the money has arrived.',
    instructions:
      'Please transfer the total to account 0123456789 at Portland Community Bank, with the reference below.',
  },
  {
    kind: 'cash_on_delivery',
    name: 'Cash on delivery',
    description: 'Pay the carrier.',
    max_total: 300,
  },
  { kind: 'cash', name: 'Cash', staff_only: true },
];

/** Taxes, shipping, payment methods and promo codes. */
export async function configureShop(context: DemoContext): Promise<void> {
  const { services, now, at } = context;
  const { taxes, shippingZones, shippingMethods, paymentMethods, promotions } = services;
  const caller = at(OPENED_HOURS_AGO);
  for (const tax of TAXES) await taxes.createTaxRule(caller, tax);
  await priceRestOfWorld(context);
  for (const [position, { zone, methods }] of ZONES.entries()) {
    const { id } = await shippingZones.createZone(caller, { ...zone, position });
    for (const [place, method] of methods.entries()) {
      await shippingMethods.createMethod(caller, { ...method, zone_id: id, position: place });
    }
  }
  for (const [position, method] of PAYMENT_METHODS.entries()) {
    await paymentMethods.createMethod(caller, { ...method, position });
  }

  await promotions.createPromoCode(caller, {
    code: USED_PROMO.code,
    type: 'percent',
    value: 10,
    min_subtotal: USED_PROMO.minSubtotal,
  });
  await promotions.createPromoCode(caller, { code: 'POSTFREE', type: 'free_shipping', per_customer_limit: 1 });
  await promotions.createPromoCode(caller, {
    code: 'THIRDBAG',
    type: 'buy_x_get_y',
    value: { buy: 2, get: 1, percent_off: 100 },
    scope: 'categories',
    category_slugs: ['coffee'],
    usage_limit: 200,
  });
  await promotions.createPromoCode(caller, {
    code: 'TEATIME',
    type: 'fixed',
    value: 5,
    scope: 'categories',
    category_slugs: ['tea'],
    ends_at: new Date(now.getTime() - 30 * 24 * HOUR_MS).toISOString(),
  });
}

/** A new company ships everywhere for free: that zone becomes the one for all other countries, with a price. */
async function priceRestOfWorld({ services, at }: DemoContext): Promise<void> {
  const { shippingZones, shippingMethods } = services;
  const caller = at(OPENED_HOURS_AGO);
  const [method] = (await shippingMethods.listMethods(caller.companyId, {})).rows as ShippingMethod[];
  await shippingZones.updateZone(caller, method!.zone_id, { name: 'Rest of the world', position: ZONES.length });
  await shippingMethods.updateMethod(caller, method!.id, { name: 'International, 10 to 20 days', cost: 24 });
}
