import type { CompanyCache } from '../access/company-cache.ts';
import type { Queryable } from '../db/pool.ts';
import { sql } from '../db/sql.ts';
import { notFound } from '../errors.ts';
import type { CustomField } from './custom-fields/definition.ts';
import type { StockLocation } from './inventory/allocate.ts';
import type { LoyaltySettings } from './loyalty/points.ts';
import type { PaymentAccount } from './payments/accounts/account.ts';
import type { PaymentMethod } from './payments/methods/method.ts';
import type { CheckoutSettings } from './settings/checkout/contract.ts';
import type { ShippingMethod, ShippingZone } from './shipping/match.ts';
import type { TaxSettings } from './taxes/calculate.ts';
import type { TaxRule } from './taxes/match.ts';

/** A shop's configuration for orders: what they need and what rarely changes. Kept in memory by version. */
export interface Shop {
  companyId: number;
  name: string;
  currency: string;
  exponent: number;
  timeZone: string;
  /** ISO 3166 alpha-2; the default country of orders. */
  country: string;
  tax: TaxSettings;
  zones: ShippingZone[];
  methods: ShippingMethod[];
  /** By position, inactive ones included. */
  paymentMethods: PaymentMethod[];
  /** At payment services, inactive ones included. */
  paymentAccounts: PaymentAccount[];
  /** The active ones, by position. */
  locations: StockLocation[];
  /** By position. */
  customFields: CustomField[];
  loyalty: LoyaltySettings & { earn_on: 'placed' | 'delivered' };
  checkout: CheckoutSettings;
}

export type ShopCache = CompanyCache<Shop>;

/** The commerce part of companies.settings; absent settings have their defaults. */
export interface ShopSettings {
  tax_rounding?: 'line' | 'order';
  prices_include_tax?: boolean;
  /** The seller's address, for invoices. */
  address?: string;
  tax_number?: string;
  loyalty?: Partial<Shop['loyalty']>;
  checkout?: Partial<CheckoutSettings>;
}

/** One dollar earns one point, a point is worth one cent, redeemable from a hundred points on. Rates are in millionths. */
export const DEFAULT_LOYALTY: Shop['loyalty'] = {
  enabled: true,
  points_per_dollar: 1_000_000,
  point_value: 10_000,
  min_redeem_points: 100,
  earn_on: 'placed',
};

export const DEFAULT_CHECKOUT: CheckoutSettings = {
  store_url: null,
  show_stock: 'few',
  cart_merge: 'larger',
  abandoned_after_minutes: 60,
  refund_on_cancel: true,
  retry_days: [1, 3, 5, 7],
  after_retries: 'pause',
  wrong_amount: 'refund',
};

interface ShopRow {
  name: string;
  currency: string;
  currency_exponent: number;
  time_zone: string;
  country: string;
  settings: ShopSettings;
  tax_rules: TaxRule[];
  zones: ShippingZone[];
  methods: ShippingMethod[];
  payment_methods: PaymentMethod[];
  payment_accounts: PaymentAccount[];
  locations: StockLocation[];
  custom_fields: CustomField[];
}

/** Reads the shop in one statement. Throws not_found for an unknown company. */
export async function loadShop(db: Queryable, companyId: number): Promise<Shop> {
  const [row] = await db.query<ShopRow>(sql`
    select c.name, c.currency, c.currency_exponent, c.time_zone, c.country, c.settings,
      coalesce((
        select json_agg(json_build_object('id', r.id, 'country', r.country, 'state', r.state, 'zip_from', r.zip_from,
          'zip_to', r.zip_to, 'rate', r.rate, 'name', r.name, 'priority', r.priority, 'compound', r.compound,
          'applies_to_shipping', r.applies_to_shipping, 'tax_class', r.tax_class) order by r.priority, r.id)
        from tax_rules r where r.company_id = c.company_id), '[]') as tax_rules,
      coalesce((
        select json_agg(json_build_object('id', z.id, 'position', z.position, 'countries', z.countries,
          'states', z.states, 'zip_patterns', z.zip_patterns) order by z.position, z.id)
        from shipping_zones z where z.company_id = c.company_id), '[]') as zones,
      coalesce((
        select json_agg(json_build_object('id', m.id, 'zone_id', m.zone_id, 'position', m.position, 'name', m.name,
          'type', m.type, 'config', m.config, 'active', m.active) order by m.position, m.id)
        from shipping_methods m where m.company_id = c.company_id), '[]') as methods,
      coalesce((
        select json_agg(json_build_object('id', p.id, 'provider', p.provider, 'kind', p.kind, 'name', p.name,
          'description', p.description, 'instructions', p.instructions, 'account_id', p.account_id, 'position', p.position,
          'active', p.active, 'staff_only', p.staff_only, 'places', p.places, 'reserve_minutes', p.reserve_minutes,
          'capture', p.capture, 'min_total', p.min_total, 'max_total', p.max_total) order by p.position, p.id)
        from payment_methods p where p.company_id = c.company_id), '[]') as payment_methods,
      coalesce((
        select json_agg(json_build_object('id', a.id, 'provider', a.provider, 'mode', a.mode, 'active', a.active,
          'publishable_key', a.publishable_key, 'sealed_config', a.sealed_config, 'webhook_token', a.webhook_token) order by a.id)
        from payment_accounts a where a.company_id = c.company_id), '[]') as payment_accounts,
      coalesce((
        select json_agg(json_build_object('id', l.id, 'main', l.main, 'online', l.online) order by l.position, l.id)
        from locations l where l.company_id = c.company_id and l.active), '[]') as locations,
      coalesce((
        select json_agg(json_build_object('id', f.id, 'on', f."on", 'key', f.key, 'name', f.name, 'type', f.type, 'list', f.list,
          'required', f.required, 'rules', f.rules, 'visible', f.visible, 'filterable', f.filterable, 'position', f.position)
          order by f.position, f.id)
        from custom_fields f where f.company_id = c.company_id and not f.deleted), '[]') as custom_fields
    from companies c where c.company_id = ${companyId}`);
  if (row === undefined) throw notFound(`company ${companyId}`);
  return {
    companyId,
    name: row.name,
    currency: row.currency,
    exponent: row.currency_exponent,
    timeZone: row.time_zone,
    country: row.country,
    tax: {
      rules: row.tax_rules,
      rounding: row.settings.tax_rounding ?? 'line',
      prices_include_tax: row.settings.prices_include_tax ?? false,
    },
    zones: row.zones,
    methods: row.methods,
    paymentMethods: row.payment_methods,
    paymentAccounts: row.payment_accounts,
    locations: row.locations,
    customFields: row.custom_fields,
    loyalty: { ...DEFAULT_LOYALTY, ...row.settings.loyalty },
    checkout: { ...DEFAULT_CHECKOUT, ...row.settings.checkout },
  };
}
