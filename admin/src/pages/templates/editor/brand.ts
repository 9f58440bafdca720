import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { ok } from '../../../api/client.ts';
import type { paths } from '../../../api/schema.ts';
import { useShop } from '../../../app/session.tsx';

/** What new e-mails and blocks start with. */
export type BrandKit = paths['/brand-kit']['get']['responses'][200]['content']['application/json'];

export function useBrandKit() {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'brand-kit'],
    queryFn: ({ signal }) => ok(api.GET('/brand-kit', { signal })),
  });
}

const NO_BRAND: BrandKit = {
  logo_url: null,
  website_url: null,
  product_url: null,
  address: null,
  style: {},
  social_links: [],
};
export const BrandContext = createContext<BrandKit>(NO_BRAND);

export function useBrand(): BrandKit {
  return useContext(BrandContext);
}

/** The address of a product's page; empty where the shop has not set a pattern. */
export function productLink({ product_url: pattern }: BrandKit, slug: string): { url: string } | Record<string, never> {
  return pattern === null ? {} : { url: pattern.replaceAll('{slug}', encodeURIComponent(slug)) };
}
