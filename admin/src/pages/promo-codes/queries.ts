import { useQuery } from '@tanstack/react-query';
import { dataOf, type Model } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';

export type PromoCode = Model<'PromoCode'>;
export type PromoType = PromoCode['type'];

export const TYPES: readonly PromoType[] = ['percent', 'fixed', 'free_shipping', 'buy_x_get_y'];

export interface BuyXGetY {
  buy: number;
  get: number;
  percent_off?: number;
}

/** The value of buy_x_get_y, or null for the other types. */
export function bundleOf(code: PromoCode): BuyXGetY | null {
  return code.type === 'buy_x_get_y' ? (code.value as BuyXGetY) : null;
}

export function usePromoCode(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'promo-codes', id],
    queryFn: ({ signal }) => dataOf(api.GET('/promo-codes/{id}', { params: { path: { id } }, signal })),
  });
}
