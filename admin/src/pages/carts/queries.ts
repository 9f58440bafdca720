import { useQuery } from '@tanstack/react-query';
import { type BodyOf, dataOf, type Model } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';

export type Cart = Model<'Cart'>;
export type Line = Cart['lines'][number];
export type CartPatch = BodyOf<'/carts/{id}', 'patch'>;

/** Carts have no live kind of their own: open ones are asked for again. */
export const REFRESH_MS = 15_000;

/** Changes of products change its price, and whether they are sold; orders take stock. */
export function useCart(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'carts', id],
    meta: { live: ['orders', 'products'] },
    queryFn: ({ signal }) => dataOf(api.GET('/carts/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.status === 'open' ? REFRESH_MS : false),
  });
}

/** The name of a buyer who is no customer, or the e-mail address. */
export function buyerOf({ first_name, last_name, email }: Cart): string {
  return `${first_name} ${last_name}`.trim() || (email ?? '');
}

export function unitsOf({ lines }: Cart): number {
  return lines.reduce((sum, { qty }) => sum + qty, 0);
}
