import { dataOf, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import type { InputProps } from '../../ui/form/values.ts';
import { useFormat } from '../../ui/format.tsx';
import { RecordInput } from '../../ui/pick/RecordInput.tsx';

const SHOWN = 8;

/** A product that can be subscribed to; variants in place of their parents. */
export function ProductInput(props: InputProps) {
  const { api } = useShop();
  const format = useFormat();
  return (
    <RecordInput
      {...props}
      kind="products"
      find={async (search, signal) => {
        const query = { search, subscription_enabled: true, include: 'variants', per_page: 25 } as const;
        const { rows } = await rowsOf(api.GET('/products', { params: { query }, signal }));
        return rows
          .filter(({ has_variants }) => !has_variants)
          .slice(0, SHOWN)
          .map((one) => ({ value: String(one.id), label: `${one.name} · ${format.money(one.price)}` }));
      }}
      nameOf={async (id, signal) =>
        (await dataOf(api.GET('/products/{id}', { params: { path: { id: String(id) } }, signal }))).name
      }
    />
  );
}
