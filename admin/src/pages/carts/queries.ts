import { useQuery } from '@tanstack/react-query';
import { type BodyOf, dataOf, type Model } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';

export type Cart = Model<'Cart'>;
export type Line = Cart['lines'][number];
export type CartPatch = BodyOf<'/carts/{id}', 'patch'>;

/** Carts have no live kind of their own: open ones are asked for again. */
export const REFRESH_MS = 15_000;

/** The number of a cart that does not exist yet. */
export const NO_CART = 0;

export const cartKey = (company: { id: number }, id: number) => [company.id, 'carts', id];

/** What is kept of an open cart in the tab: what is being typed, and whether its address was filled in. */
export const draftNames = (id: number) => [`carts-${id}`, `carts-${id}-filled`] as const;

/** Changes of products change its price, and whether they are sold; orders take stock. */
export function useCart(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: cartKey(company, id),
    enabled: id !== NO_CART,
    meta: { live: ['orders', 'products'] },
    queryFn: ({ signal }) => dataOf(api.GET('/carts/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (isLive(state.data) ? REFRESH_MS : false),
  });
}

/** Whether it may still change. */
function isLive(cart: Cart | undefined): boolean {
  return cart?.status === 'open' || cart?.status === 'paying';
}

/** An order that staff take, before its first change. */
export function emptyCart(currency: string): Cart {
  return {
    id: NO_CART,
    status: 'open',
    origin: 'staff',
    revision: 0,
    subscription_id: null,
    cycle_date: null,
    customer_id: null,
    email: null,
    first_name: '',
    last_name: '',
    phone: null,
    lines: [],
    promo_code: null,
    redeem_points: 0,
    shipping_address: '',
    shipping_city: '',
    shipping_state: '',
    shipping_zip: '',
    shipping_country: null,
    shipping_method_id: null,
    location_id: null,
    billing: null,
    custom: {},
    metadata: {},
    note: null,
    accepts_marketing: null,
    currency,
    subtotal: 0,
    discount: 0,
    promo_discount: 0,
    points_discount: 0,
    points_redeemed: 0,
    shipping: 0,
    shipping_method: null,
    shipping_methods: [],
    tax: 0,
    tax_lines: [],
    total: 0,
    estimated: true,
    problems: [],
    payment: null,
    reserved_until: null,
    order_id: null,
    recover_url: null,
    created_at: '',
    updated_at: '',
  };
}

/** The name of a buyer who is no customer, or the e-mail address. */
export function buyerOf({ first_name, last_name, email }: Cart): string {
  return `${first_name} ${last_name}`.trim() || (email ?? '');
}

export function unitsOf({ lines }: Cart): number {
  return lines.reduce((sum, { qty }) => sum + qty, 0);
}
