import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { RuleGroup } from '../../../../src/rules/language.ts';
import { dataOf, type Model, rowsOf } from '../../api/client.ts';
import { everyRow } from '../../api/pages.ts';
import { useShop } from '../../app/session.tsx';
import type { Products } from '../../rules/fields.ts';
import { useCustomFields } from '../custom-fields/queries.ts';

export type Collection = Model<'Collection'>;

const SOON_MS = 1_000;

/** Reads the collection again while its rules are being applied. */
export function useCollection(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'collections', id],
    refetchInterval: ({ state }: { state: { data: Collection | undefined } }) =>
      state.data?.status === 'updating' ? SOON_MS : false,
    queryFn: ({ signal }): Promise<Collection> =>
      dataOf(api.GET('/collections/{id}', { params: { path: { id: String(id) } }, signal })),
  });
}

/** The names of a manual collection's products, by id. */
export function useNames({ id, slug, kind }: Collection) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'products', 'of-collection', id],
    enabled: kind === 'manual',
    queryFn: async ({ signal }) => {
      const load = (archived: boolean) =>
        everyRow((page) =>
          rowsOf(api.GET('/products', { params: { query: { ...page, collection: slug, archived } }, signal })),
        );
      const [listed, archived] = await Promise.all([load(false), load(true)]);
      return new Map([...listed, ...archived].map((product) => [product.id, product.name]));
    },
  });
}

/** How many products the rules select. Cancels a request for earlier rules. */
export function useCount(rules: RuleGroup | null) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'collections', 'count', JSON.stringify(rules)],
    enabled: rules !== null,
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: async ({ signal }) => {
      const body = { rules: (rules ?? { rules: [] }) as NonNullable<Collection['rules']> };
      return (await dataOf(api.POST('/collections/count', { body, signal }))).count;
    },
  });
}

/** What rules of collections are about: products, whose custom fields are not known before they are loaded, and to people who may not read them. */
export function useProducts(): Products {
  const { can } = useShop();
  const { data: ofProducts } = useCustomFields('product');
  const { data: ofVariants } = useCustomFields('variant');
  const isKnown = can('settings:read') && ofProducts !== undefined && ofVariants !== undefined;
  return { customFields: isKnown ? [...ofProducts, ...ofVariants] : null };
}
