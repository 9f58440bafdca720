import { Button } from '@mantine/core';
import { useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useWrite } from '../../../ui/actions/useWrite.ts';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { useFormat } from '../../../ui/format.tsx';
import { say, sayError } from '../../../ui/messages.tsx';
import type { Product } from '../queries.ts';
import type { GenerateBody } from './queries.ts';

/** Adds a variant for each combination of option values that has none, after saying how many there are. */
export function AddMissing({ product }: { product: Product }) {
  const { api } = useShop();
  const format = useFormat();
  const [missing, setMissing] = useState<number | null>(null);
  const textOf = (n: number): string => t('variants.missing', { n, shown: format.number(n) });
  const params = { path: { id: String(product.id) } };
  const generate = (body: GenerateBody): Promise<Product[]> =>
    dataOf(api.POST('/products/{id}/variants/generate', { params, body }));
  const count = useWrite({
    mutationFn: () => generate({ price: product.price, dry_run: true }),
    onSuccess: ({ length }) => (length === 0 ? say(textOf(0)) : setMissing(length)),
    onError: sayError,
  });
  return (
    <>
      <Button size="xs" variant="default" loading={count.isPending} onClick={() => count.mutate()}>
        {t('variants.add_missing')}
      </Button>
      {missing === null ? null : (
        <FormDialog<GenerateBody>
          title={t('variants.add_missing')}
          text={textOf(missing)}
          fields={[
            { name: 'price', label: t('field.price'), type: 'money', required: true },
            { name: 'stock_qty', label: t('product.stock'), type: 'number' },
          ]}
          initial={{ price: String(product.price) }}
          submit={t('action.create')}
          done={t('form.created')}
          save={generate}
          onClose={() => setMissing(null)}
        />
      )}
    </>
  );
}
