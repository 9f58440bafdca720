import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ok, type Rows } from '../../api/client.ts';
import type { SearchValues } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useFormat } from '../../ui/format.tsx';
import type { Filter } from '../../ui/list/types.ts';
import { type CustomField, useCustomFields } from '../custom-fields/queries.ts';
import { facetFilters, facetsOf, optionNames } from './facets.ts';
import type { Product } from './queries.ts';

/** The other filters of the list, under which facets are counted. */
const OTHERS = ['search', 'category', 'in_stock', 'subscription_enabled', 'status'];

/** The filters of the product list by options and custom fields, with the values that listed products have. */
export function useFacetFilters(values: SearchValues) {
  const { api, company, can } = useShop();
  const client = useQueryClient();
  const format = useFormat();
  const [options, setOptions] = useState(() => {
    const lists = client.getQueriesData<Rows<Product>>({ queryKey: [company.id, 'products', 'list'] });
    return optionNames(lists.flatMap(([, list]) => list?.rows ?? []));
  });
  const ofProducts = useCustomFields('product').data;
  const ofVariants = useCustomFields('variant').data;
  const fields =
    can('settings:read') && ofProducts !== undefined && ofVariants !== undefined
      ? [...ofProducts, ...ofVariants]
      : null;
  const names = facetFilters(values, options, fields);
  const facets = facetsOf(names);
  const query = Object.fromEntries(
    [...OTHERS, ...names].flatMap((name): [string, string][] => {
      const value = values[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const { data } = useQuery({
    queryKey: [company.id, 'products', 'facets', facets, query],
    enabled: facets !== '',
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const page = { facets, per_page: 1 };
      return (await ok(api.GET('/products', { params: { query: { ...query, ...page } }, signal }))).meta.facets ?? [];
    },
  });
  const filters = names.flatMap((name): Filter[] => {
    const facet = data?.find(({ key }) => key === facetsOf([name]));
    const type = fields?.find(({ key }) => name === `custom.${key}`)?.type;
    const choices = (facet?.values ?? []).map(({ value, label, count }) => ({
      value,
      label: `${wordOf(type, label)} (${format.number(count)})`,
    }));
    const set = values[name];
    if (set !== undefined && !choices.some(({ value }) => value === set)) choices.push({ value: set, label: set });
    if (choices.length === 0) return [];
    return [{ key: name, title: facet?.name ?? name.slice(name.indexOf('.') + 1), type: 'choice', choices }];
  });
  return {
    filters,
    /** Offers the options of further products. */
    learn: (products: readonly Product[]): void =>
      setOptions((before) => {
        const next = [...new Set([...before, ...optionNames(products)])];
        return next.length === before.length ? before : next;
      }),
  };
}

function wordOf(type: CustomField['type'] | undefined, label: string): string {
  if (type !== 'boolean') return label;
  return label === 'true' ? t('choice.yes') : t('choice.no');
}
